/** An operation that no tool can be made of. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";
}
