import { createDpopKey, createProof, toThumbprint, type DpopKey } from "./keys.ts";

/**
 * Proofs that the client holds the key its tokens are bound to, with the nonces that servers want in them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export class Proofs {
  #key: Promise<DpopKey> | undefined;
  /** The newest nonce of each origin. */
  readonly #nonces = new Map<string, string>();

  /** @param key - absent: one is made when it is first needed */
  constructor(key?: DpopKey) {
    this.#key = key && Promise.resolve(key);
  }

  async sign(method: string, url: URL, accessToken?: string): Promise<string> {
    return createProof(await this.#take(), { method, url, accessToken, nonce: this.#nonces.get(url.origin) });
  }

  async algorithm(): Promise<string> {
    return (await this.#take()).algorithm;
  }

  async keyId(): Promise<string> {
    return toThumbprint(await this.#take());
  }

  /** Remembers the nonce that an answer brings; any answer may. Returns whether there is one. */
  note(url: URL, headers: Headers): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) return false;
    this.#nonces.delete(url.origin);
    this.#nonces.set(url.origin, nonce);
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > maxOrigins && oldest !== undefined) this.#nonces.delete(oldest);
    return true;
  }

  #take(): Promise<DpopKey> {
    this.#key ??= createDpopKey();
    return this.#key;
  }
}

const maxOrigins = 100;
