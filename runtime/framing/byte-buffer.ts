/**
 * Collects bytes as they arrive, in pieces. Memory grows with the bytes and not with the pieces, which the sender may make as small as it likes: each
 * piece would cost more than its content.
 */
export class ByteBuffer {
  #bytes: Uint8Array = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes received so far. The view is valid until the next piece. */
  get bytes(): Uint8Array {
    return this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  /** Appends the next bytes. A first piece is kept without a copy; later pieces are copied. */
  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else this.#append(piece, length);
    this.#length = length;
  }

  /** Doubles the buffer when it is full: each byte is copied a bounded number of times. */
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
