import type { RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import { isObject } from "../../../generated/support.ts";
import type { Claims } from "./claims.ts";

/** Credentials of a request. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "token"; readonly scheme: "bearer" | "dpop"; readonly token: string };

/**
 * Reads the access token of a request. A token counts only in the header and only once: two servers on the path could disagree about which of two
 * tokens is meant, and URLs end up in logs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2
 */
export function readCredentials(head: RequestHead): Credentials {
  if (head.query("access_token") !== undefined) {
    return { kind: "malformed", reason: "The access token must not be in the URL; use the Authorization header" };
  }
  if (head.isRepeated("authorization"))
    return { kind: "malformed", reason: "The Authorization header must be sent once" };
  const field = head.header("authorization");
  const [, scheme = ""] = /^(bearer|dpop)(?![^\s,])/i.exec(field ?? "") ?? [];
  if (field === undefined || scheme === "") return { kind: "none" };
  const token = field.slice(scheme.length).trimStart();
  if (!/^[\w~+/.-]+=*$/.test(token)) return { kind: "malformed", reason: "The Authorization header has no token" };
  return { kind: "token", scheme: scheme.toLowerCase() === "dpop" ? "dpop" : "bearer", token };
}

/** Binding of a token. Only a client with the key or certificate in its possession may use the token. */
type Binding =
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
