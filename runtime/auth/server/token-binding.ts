import { isObject } from "../../../generated/support.ts";
import type { Claims } from "./claims.ts";

/** What a token is bound to: nobody may use it who cannot prove to have that. */
export type Binding =
  | { readonly kind: "known"; readonly key: string | undefined; readonly certificate: string | undefined }
  /** In a way that nothing here can check: to accept it would be to forget about it. */
  | { readonly kind: "unknown" };

/** @see https://www.rfc-editor.org/rfc/rfc7800#section-3.1 */
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
