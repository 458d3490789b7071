import { isObject } from "../../generated/support.ts";
import type { KeyRing } from "./key-ring.ts";
import { parseLimited } from "./parse-limited.ts";

/**
 * Encrypts and signs a value for a place: a party with access to the engine only can neither read nor forge it, nor move it to another place. Values
 * contain ids of sessions, and principals.
 */
export function sealEnvelope(ring: KeyRing, place: string, value: unknown): string {
  const body = ring.encrypt(place, JSON.stringify(value));
  return JSON.stringify({ v: 1, body, mac: ring.sign(place, body) });
}

/** Returns the value of an envelope. Returns `undefined` when the envelope is too large, has another version or does not verify. */
export function openEnvelope(ring: KeyRing, place: string, text: string): unknown {
  const envelope = parseLimited(text, maxSize);
  if (!isObject(envelope) || envelope.v !== 1) return undefined;
  const { body, mac } = envelope;
  if (typeof body !== "string" || typeof mac !== "string" || !ring.verify(place, body, mac)) return undefined;
  const content = ring.decrypt(place, body);
  return content === undefined ? undefined : parseLimited(content, maxSize);
}

/** Characters of an envelope. */
const maxSize = 32 * 1024 * 1024;
