/** Something that the person at the keyboard can put right; shown without a stack. The message says what, where, and what to do next. */
export class UserError extends Error {
  override readonly name = "UserError";
}
