/**
 * Collects text as it arrives, in pieces. Memory grows with the text and not with the pieces, which the sender may make as small as it likes.
 * Appending each piece to the text would cost many times its content, and a piece may keep the whole text alive from which it was cut.
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

  /** Returns all of the text, with `last` appended. The buffer is empty afterwards. */
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

/** Number of pieces joined in one step. */
const mostPieces = 256;
