import { toBase64Url } from "../../framing/base64.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import { checkPositive } from "../../jsonrpc/check-numbers.ts";

/** Options for the nonces in proofs. */
export interface NonceOptions {
  /** Secret of 32 bytes or more. Processes with the same clients must share it. Default: from the keys of the cluster, else random. */
  readonly secret?: Uint8Array;
  /** Milliseconds until the nonce changes. The previous one remains valid. Default 2 min. */
  readonly lifetime?: number;
}

/** Creates unpredictable nonces, which change over time. They derive from the time and a secret, so none are stored. */
export class Nonces {
  readonly #findSecrets: () => Secrets;
  readonly #lifetime: number;
  #keys: Promise<readonly [HmacKey, ...HmacKey[]]> | undefined;
  /** Nonces of the current and the previous period, by period number. */
  readonly #made = new Map<number, Promise<readonly [string, ...string[]]>>();

  /** @param findSecrets - returns the secrets of a cluster: the first one is for new nonces, all are accepted */
  constructor({ secret, lifetime = 120_000 }: NonceOptions, findSecrets?: () => Secrets | undefined) {
    checkPositive("nonces.lifetime", lifetime);
    if (secret && secret.length < 32) throw new SetupError("The nonce secret is too short; use at least 32 bytes");
    this.#findSecrets = () => (secret ? [secret] : (findSecrets?.() ?? [crypto.getRandomValues(new Uint8Array(32))]));
    this.#lifetime = lifetime;
  }

  /** Returns the current nonce. @param now - milliseconds since 1970 */
  async current(now: number): Promise<string> {
    const [first] = await this.#make(Math.floor(now / this.#lifetime));
    return first;
  }

  /** True if a nonce is the current or the previous one. */
  async isFresh(nonce: unknown, now: number): Promise<boolean> {
    const period = Math.floor(now / this.#lifetime);
    const fresh = await Promise.all([this.#make(period), this.#make(period - 1)]);
    return fresh.flat().some((made) => made === nonce);
  }

  #make(period: number): Promise<readonly [string, ...string[]]> {
    const made = this.#made.get(period) ?? this.#sign(period);
    this.#made.set(period, made);
    for (const old of this.#made.keys()) if (old < period - 1) this.#made.delete(old);
    return made;
  }

  async #sign(period: number): Promise<readonly [string, ...string[]]> {
    this.#keys ??= importKeys(this.#findSecrets());
    const [first, ...others] = await this.#keys;
    return [await sign(first, period), ...(await Promise.all(others.map((key) => sign(key, period))))];
  }
}

type Secrets = readonly [Uint8Array, ...Uint8Array[]];

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function importKeys([first, ...others]: Secrets): Promise<readonly [HmacKey, ...HmacKey[]]> {
  return [await importKey(first), ...(await Promise.all(others.map(importKey)))];
}

function importKey(secret: Uint8Array): Promise<HmacKey> {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function sign(key: HmacKey, period: number): Promise<string> {
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`nonce ${period}`));
  return toBase64Url(new Uint8Array(signature));
}
