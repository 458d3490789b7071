/**
 * Collects text that arrives in pieces. What is kept grows with the text and not with the pieces, which their sender may make as small as it
 * likes: adding each to what is there would cost many times what is in it, and a piece may hold on to all of the text that it was cut from.
 */
export class TextBuffer {
  #whole: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < mostPieces) return;
    this.#whole.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  /** All of the text, with what comes last; the buffer is empty afterwards. */
  take(last: string = ""): string {
    this.push(last);
    const [first = "", second] = this.#pieces;
    const isOne = second === undefined && this.#whole.length === 0;
    const text = isOne ? first : this.#whole.concat(this.#pieces).join("");
    this.clear();
    return text;
  }

  clear(): void {
    if (this.#length === 0) return;
    this.#length = 0;
    this.#pieces = [];
    if (this.#whole.length > 0) this.#whole = [];
  }
}

/** So many are put together at once. */
const mostPieces = 256;
