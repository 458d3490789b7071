/**
 * Collects bytes that arrive in pieces. What is kept grows with the bytes and not with the pieces, which their sender may make as small as it
 * likes: each would cost more than what is in it.
 */
export class ByteBuffer {
  #bytes: Uint8Array = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What has come so far. It holds until the next piece. */
  get bytes(): Uint8Array {
    return this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  /** Takes the next bytes. They are kept as they are while there are no others, and copied otherwise. */
  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else this.#append(piece, length);
    this.#length = length;
  }

  /** The buffer doubles, so that each byte is copied a bounded number of times. */
  #append(piece: Uint8Array, length: number): void {
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
  }
}

const nothing: Uint8Array = new Uint8Array(0);
