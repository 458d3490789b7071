import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";

/** Keys derived from the secrets of the user. The first one of each kind is used for new data, all are accepted. */
export class KeyRing {
  readonly #keys: readonly [DerivedKeys, ...DerivedKeys[]];
  readonly #isEncrypting: boolean;

  /**
   * @param secrets - 32 bytes or more each
   * @throws {SetupError} when there is no secret, or one is too short
   */
  constructor(secrets: readonly Uint8Array[], options: { readonly prefix: string; readonly encrypt: boolean }) {
    const [first, ...others] = secrets;
    if (first === undefined || secrets.some(({ length }) => length < 32))
      throw new SetupError("keys requires at least one key with 32 random bytes or more each");
    this.#keys = [derive(first, options.prefix), ...others.map((secret) => derive(secret, options.prefix))];
    this.#isEncrypting = options.encrypt;
  }

  /** Returns the pseudonyms of something with each of the keys, the current one first. They reveal nothing about it. */
  tags(kind: string, id: string, owner?: string): readonly [string, ...string[]] {
    const text = JSON.stringify([kind, id, owner]);
    const [first = "", ...others] = this.#keys.map(({ tags }) => hmac(tags, text).toString("base64url").slice(0, 22));
    return [first, ...others];
  }

  /** Returns a signature of a text. It is only valid in its place. */
  sign(place: string, text: string): string {
    const [first] = this.#keys;
    return hmac(first.messages, `${place}\0${text}`).toString("base64url");
  }

  /** True if one of the keys made the signature. */
  verify(place: string, text: string, signature: string): boolean {
    const given = Buffer.from(signature, "base64url");
    return this.#keys.some(({ messages }) => {
      const expected = hmac(messages, `${place}\0${text}`);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }

  /** Encrypts a value, if the user wants encryption. It can only be decrypted in its place. */
  seal(place: string, text: string): string {
    return this.#isEncrypting ? this.encrypt(place, text) : text;
  }

  /** Returns the text of a sealed value. Returns `undefined` for one without encryption from here, although values are encrypted. */
  open(place: string, value: string): string | undefined {
    if (this.#isEncrypting) return this.decrypt(place, value);
    return value.startsWith(encryptionMark) ? undefined : value;
  }

  /** Encrypts a value regardless of the options: for ids and principals. */
  encrypt(place: string, text: string): string {
    const [first] = this.#keys;
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", first.values, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return `${encryptionMark}${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")}`;
  }

  /** Decrypts a value encrypted for this place with one of the keys. */
  decrypt(place: string, value: string): string | undefined {
    if (!value.startsWith(encryptionMark)) return undefined;
    const bytes = toBytes(value);
    for (const { values } of this.#keys) {
      const text = decryptWith(values, place, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** True if the current key cannot read an encrypted value: an older one is needed, or none fits. */
  isOutdated(place: string, value: string): boolean {
    const [{ values }, ...others] = this.#keys;
    return others.length > 0 && decryptWith(values, place, toBytes(value)) === undefined;
  }
}

/** Start of encrypted values. No JSON text starts so. */
const encryptionMark = "e1.";

interface DerivedKeys {
  readonly tags: Buffer;
  readonly messages: Buffer;
  readonly values: Buffer;
}

function derive(secret: Uint8Array, prefix: string): DerivedKeys {
  const key = (use: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, new Uint8Array(0), `${prefix} engine ${use}`, 32));
  return { tags: key("tags"), messages: key("messages"), values: key("values") };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function toBytes(value: string): Buffer {
  return Buffer.from(value.slice(encryptionMark.length), "base64url");
}

function decryptWith(key: Buffer, place: string, bytes: Buffer): string | undefined {
  if (bytes.length < 28) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
