import { setLimited } from "../../../internal/set-limited.ts";
import { createDpopKey, createProof, toThumbprint, type DpopKey } from "./keys.ts";

/**
 * Creates proofs of the client's possession of its key, with the nonces required by servers. The client's tokens are bound to this key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export class Proofs {
  #key: Promise<DpopKey> | undefined;
  /** Newest nonce of each origin. */
  readonly #nonces = new Map<string, string>();

  /** @param key - key pair of the proofs. Default: a new one, created on first use */
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

  /** Stores the nonce of a response. Any response may bring one. Returns true if there is a valid nonce. */
  note(url: URL, headers: Headers): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) return false;
    setLimited(this.#nonces, [url.origin, nonce], maxOrigins);
    return true;
  }

  #take(): Promise<DpopKey> {
    this.#key ??= createDpopKey();
    return this.#key;
  }
}

const maxOrigins = 100;
