import { toBase64Url } from "../../framing/base64.ts";
import { SetupError } from "../../jsonrpc/errors.ts";

/** Options for the nonces that proofs must contain. */
export interface NonceOptions {
  /** Secret of 32 bytes or more. Processes that serve the same clients must share it. Default: a random secret. */
  readonly secret?: Uint8Array;
  /** Milliseconds until the nonce changes. The previous one remains valid. Default 2 min. */
  readonly lifetime?: number;
}

/** Creates nonces that change over time and are unpredictable. They derive from the time and a secret, so none are stored. */
export class Nonces {
  readonly #key: ReturnType<typeof crypto.subtle.importKey>;
  readonly #lifetime: number;
  /** Nonces of the current and the previous period, by period number. */
  readonly #made = new Map<number, Promise<string>>();

  constructor({ secret = crypto.getRandomValues(new Uint8Array(32)), lifetime = 120_000 }: NonceOptions) {
    if (secret.length < 32) throw new SetupError("The nonce secret is too short; use at least 32 bytes");
    this.#key = crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ]);
    this.#lifetime = lifetime;
  }

  /** Returns the current nonce. @param now - milliseconds since 1970 */
  current(now: number): Promise<string> {
    return this.#make(Math.floor(now / this.#lifetime));
  }

  /** True if a nonce is the current or the previous one. */
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
