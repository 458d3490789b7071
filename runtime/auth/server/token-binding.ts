import { isObject } from "../../../generated/support.ts";
import type { Claims } from "./claims.ts";

/** Binding of a token. Only a client with the key or certificate in its possession may use the token. */
export type Binding =
  | { readonly kind: "known"; readonly key: string | undefined; readonly certificate: string | undefined }
  /** Binding that the server cannot check. To accept the token would be to ignore the binding. */
  | { readonly kind: "unknown" };

/** Reads the binding of a token from its `cnf` claim. @see https://www.rfc-editor.org/rfc/rfc7800#section-3.1 */
export function readBinding({ cnf }: Claims): Binding {
  if (cnf === undefined) return { kind: "known", key: undefined, certificate: undefined };
  if (!isObject(cnf)) return { kind: "unknown" };
  const { jkt: key, "x5t#S256": certificate, ...others } = cnf;
  const isKnown = isThumbprint(key) && isThumbprint(certificate) && Object.keys(others).length === 0;
  return isKnown && (key ?? certificate) !== undefined ? { kind: "known", key, certificate } : { kind: "unknown" };
}

function isThumbprint(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
