import { fromBase64Url, toBase64Url } from "../../framing/base64.ts";
import { SetupError } from "../../jsonrpc/errors.ts";

/** Signs what clients keep for the server, so that they can neither make it nor change it. They can read it. */
export interface Sealer {
  /** The content and its signature as text. The scope is signed with it, so that it is good for nothing else. */
  seal(scope: string, content: Uint8Array): Promise<string>;
  /** The content, if it was sealed for this scope with one of the keys. */
  open(scope: string, sealed: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/**
 * Signs with HMAC-SHA-256 and the first of the keys; what was sealed with the others still opens, so that keys can be replaced one after
 * the other. Default: a random key, made when it is first needed.
 *
 * @param option - the option that the keys come from, for the error that they are too short
 */
export function createSealer(option: string, secrets: readonly Uint8Array[] | undefined): Sealer {
  if (secrets) checkSecrets(option, secrets);
  let imported: Promise<readonly [HmacKey, ...HmacKey[]]> | undefined;
  const keys = (): Promise<readonly [HmacKey, ...HmacKey[]]> => (imported ??= importKeys(secrets ?? []));
  return {
    async seal(scope, content) {
      const [key] = await keys();
      const signature = await crypto.subtle.sign("HMAC", key, toSigned(scope, content));
      return `${toBase64Url(content)}.${toBase64Url(new Uint8Array(signature))}`;
    },
    async open(scope, text) {
      const sealed = readSealed(text);
      if (!sealed) return undefined;
      const signed = toSigned(scope, sealed.content);
      for (const key of await keys()) {
        if (await crypto.subtle.verify("HMAC", key, sealed.signature, signed)) return sealed.content;
      }
      return undefined;
    },
  };
}

/** Named through the function that makes it: not every set of type libraries declares `CryptoKey`. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function checkSecrets(option: string, secrets: readonly Uint8Array[]): void {
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= 32)) return;
  throw new SetupError(`${option} needs at least one key, and 32 random bytes or more for each.`);
}

async function importKeys(secrets: readonly Uint8Array[]): Promise<readonly [HmacKey, ...HmacKey[]]> {
  const [first = crypto.getRandomValues(new Uint8Array(32)), ...others] = secrets;
  return [await importKey(first), ...(await Promise.all(others.map(importKey)))];
}

function importKey(secret: Uint8Array): Promise<HmacKey> {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

/** The length comes first: no other scope and content make the same bytes. */
function toSigned(scope: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(scope);
  const head = new TextEncoder().encode(`${name.length}\n`);
  const signed = new Uint8Array(head.length + name.length + content.length);
  signed.set(head);
  signed.set(name, head.length);
  signed.set(content, head.length + name.length);
  return signed;
}

interface Sealed {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

function readSealed(text: string): Sealed | undefined {
  const dot = text.indexOf(".");
  const content = fromBase64Url(text.slice(0, Math.max(dot, 0)));
  const signature = fromBase64Url(text.slice(dot + 1));
  return content && signature && dot > 0 ? { content, signature } : undefined;
}
