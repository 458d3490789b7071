import { fromBase64Url, toBase64Url } from "../framing/base64.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";

/** Signs data kept by clients for the server. They can neither forge nor change it, but they can read it. */
export interface Signer {
  /** Returns the content and its signature as text. The scope is signed as well: the text is valid only for this scope. */
  sign(scope: string, content: Uint8Array): Promise<string>;
  /** Returns the content, if it was signed for this scope with one of the keys. */
  verify(scope: string, signed: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/**
 * Creates a signer with HMAC-SHA-256 and the first of the keys. Content signed with the other keys is still accepted, so that keys can be replaced
 * one after the other. Default: the keys of the cluster, else a random key, created when it is first needed.
 *
 * @param option - name of the option with the keys, for the error message
 * @param cluster - has keys for the option, if the server is a node
 * @throws {SetupError} when the list of secrets is empty, or when a secret is shorter than 32 bytes
 */
export function createSigner(
  option: string,
  secrets: readonly Uint8Array[] | undefined,
  cluster?: ClusterAccess,
): Signer {
  if (secrets) checkSecrets(option, secrets);
  let imported: Promise<readonly [HmacKey, ...HmacKey[]]> | undefined;
  const keys = (): Promise<readonly [HmacKey, ...HmacKey[]]> =>
    (imported ??= importKeys(secrets ?? cluster?.shared?.deriveKeys(option) ?? []));
  return {
    async sign(scope, content) {
      const [key] = await keys();
      const signature = await crypto.subtle.sign("HMAC", key, toSigned(scope, content));
      return `${toBase64Url(content)}.${toBase64Url(new Uint8Array(signature))}`;
    },
    async verify(scope, text) {
      const { content, signature } = readSigned(text) ?? {};
      if (!content || !signature) return undefined;
      const signed = toSigned(scope, content);
      for (const key of await keys()) {
        if (await crypto.subtle.verify("HMAC", key, signature, signed)) return content;
      }
      return undefined;
    },
  };
}

/** Type of a key, derived from the function creating it: not every set of type libraries declares `CryptoKey`. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function checkSecrets(option: string, secrets: readonly Uint8Array[]): void {
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= 32)) return;
  throw new SetupError(`${option} requires at least one key with 32 random bytes or more each`);
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

/** Returns the bytes to sign. The length of the scope comes first, so that no other scope and content result in the same bytes. */
function toSigned(scope: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(scope);
  const head = new TextEncoder().encode(`${name.length}\n`);
  const signed = new Uint8Array(head.length + name.length + content.length);
  signed.set(head);
  signed.set(name, head.length);
  signed.set(content, head.length + name.length);
  return signed;
}

function readSigned(
  text: string,
): { readonly content: Uint8Array<ArrayBuffer>; readonly signature: Uint8Array<ArrayBuffer> } | undefined {
  const dot = text.indexOf(".");
  const content = fromBase64Url(text.slice(0, Math.max(dot, 0)));
  const signature = fromBase64Url(text.slice(dot + 1));
  return content && signature && dot > 0 ? { content, signature } : undefined;
}
