import { fromBase64Url, toBase64Url } from "../codec/base64.ts";
import { refuse } from "./errors.ts";

/** Cursors that clients cannot make or change: each is signed together with the list that it belongs to. */
export interface Cursors {
  /** Makes the cursor for a place in a list. What is in it can be read by anybody. */
  seal(scope: string, place: string): Promise<string>;
  /** The place that a cursor stands for; refuses one that was not made for this list, or not by this server. */
  open(scope: string, cursor: string): Promise<string>;
}

/**
 * Signs with HMAC-SHA-256 and the first of the keys; cursors of the others still open, so that keys can be replaced one after
 * the other. Default: a random key, made when it is first needed.
 */
export function createCursors(secrets: readonly Uint8Array[] | undefined): Cursors {
  if (secrets) checkSecrets(secrets);
  let imported: Promise<readonly HmacKey[]> | undefined;
  const keys = (): Promise<readonly HmacKey[]> =>
    (imported ??= Promise.all((secrets ?? [crypto.getRandomValues(new Uint8Array(32))]).map(importKey)));
  return {
    async seal(scope, place) {
      const [key] = await keys();
      if (!key || place.length > longestPlace) throw new Error(`The cursor of a list is too long: ${place.length}.`);
      const bytes = new TextEncoder().encode(place);
      const signature = await crypto.subtle.sign("HMAC", key, toSigned(scope, bytes));
      return `${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(signature))}`;
    },
    async open(scope, cursor) {
      const sealed = readSealed(cursor);
      if (sealed) {
        for (const key of await keys()) {
          const isOurs = await crypto.subtle.verify("HMAC", key, sealed.signature, toSigned(scope, sealed.place));
          if (isOurs) return new TextDecoder().decode(sealed.place);
        }
      }
      throw refuse("Unknown cursor: begin again without one");
    },
  };
}

/** Named through the function that makes it: not every set of type libraries declares `CryptoKey`. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Bounds what a list callback can put into a cursor, and what a client can make us look at. */
const longestPlace = 4_096;
const longestCursor = 20_000;

function checkSecrets(secrets: readonly Uint8Array[]): void {
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= 32)) return;
  throw new Error("cursorKeys needs at least one key, and 32 random bytes or more for each.");
}

function importKey(secret: Uint8Array): Promise<HmacKey> {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

/** A line break separates the two, and scopes have none at their end. */
function toSigned(scope: string, place: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${scope}\n`);
  const signed = new Uint8Array(head.length + place.length);
  signed.set(head);
  signed.set(place, head.length);
  return signed;
}

function readSealed(
  cursor: string,
): { readonly place: Uint8Array<ArrayBuffer>; readonly signature: Uint8Array<ArrayBuffer> } | undefined {
  if (cursor.length > longestCursor) return undefined;
  const dot = cursor.indexOf(".");
  const place = fromBase64Url(cursor.slice(0, Math.max(dot, 0)));
  const signature = fromBase64Url(cursor.slice(dot + 1));
  return place && signature && dot > 0 ? { place, signature } : undefined;
}
