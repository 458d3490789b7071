import { toBase64Url } from "../../framing/base64.ts";
import { SetupError } from "../../jsonrpc/errors.ts";

/** How nonces are made. */
export interface NonceOptions {
  /** A secret of 32 bytes or more that processes share which serve the same clients. Default: a random one. */
  readonly secret?: Uint8Array;
  /** Milliseconds until there is a new one; the one before is still accepted. Default 2 min. */
  readonly lifetime?: number;
}

/** Nonces that change with time and that nobody can foresee. Nothing is kept of them: they are made of the time and a secret. */
export class Nonces {
  readonly #key: ReturnType<typeof crypto.subtle.importKey>;
  readonly #lifetime: number;
  /** Those of the last periods by number. */
  readonly #made = new Map<number, Promise<string>>();

  constructor({ secret = crypto.getRandomValues(new Uint8Array(32)), lifetime = 120_000 }: NonceOptions) {
    if (secret.length < 32) throw new SetupError("The secret of nonces needs 32 bytes or more.");
    this.#key = crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ]);
    this.#lifetime = lifetime;
  }

  /** @param now - milliseconds since 1970 */
  current(now: number): Promise<string> {
    return this.#make(Math.floor(now / this.#lifetime));
  }

  /** Whether a nonce is the current one or the one before. */
  async isFresh(nonce: unknown, now: number): Promise<boolean> {
    const period = Math.floor(now / this.#lifetime);
    return nonce === (await this.#make(period)) || nonce === (await this.#make(period - 1));
  }

  #make(period: number): Promise<string> {
    const made = this.#made.get(period) ?? this.#sign(period);
    this.#made.set(period, made);
    for (const old of this.#made.keys()) if (old < period - 1) this.#made.delete(old);
    return made;
  }

  async #sign(period: number): Promise<string> {
    const signature = await crypto.subtle.sign("HMAC", await this.#key, new TextEncoder().encode(`nonce ${period}`));
    return toBase64Url(new Uint8Array(signature));
  }
}
