/** Error about an operation that cannot become a tool. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";
}
