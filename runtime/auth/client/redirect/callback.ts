import { AuthError, quoteReason, readReason } from "../errors.ts";
import { quoteIssuer } from "../../common/quote-issuer.ts";
import { isUrl } from "../../../internal/parse-url.ts";

/** State of a sign-in while the user is at the authorization server. */
export interface PendingSignIn {
  readonly state: string;
  readonly redirectUri: string;
  /** Issuer exactly as the validated metadata writes it. */
  readonly issuer: string;
  /** True if the issuer has declared to name itself in every authorization response. */
  readonly namesIssuer: boolean;
}

/**
 * Returns the code in an authorization response. An unexpected response is neither used nor quoted.
 *
 * @throws {AuthError} when the response does not belong to the sign-in or holds an error.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
export function readCode(callback: string, pending: PendingSignIn): string {
  if (!isUrl(callback))
    throw new AuthError("state-mismatch", "The callback of the authorization request is not a valid URL");
  const url = new URL(callback);
  const expected = new URL(pending.redirectUri);
  if (url.origin !== expected.origin || url.pathname !== expected.pathname) {
    throw new AuthError("state-mismatch", "The callback URL does not match the redirect URI");
  }
  const read = (name: string): string | undefined => readOnce(url.searchParams, name);
  if (read("state") !== pending.state) {
    throw new AuthError(
      "state-mismatch",
      "The authorization response does not match the request (state); sign in again",
    );
  }
  checkResponseIssuer(read("iss"), pending);
  const error = read("error");
  if (error !== undefined) throw describeRejection(error, read("error_description"));
  const code = read("code");
  if (code === undefined || code === "") {
    throw new AuthError("authorization-refused", "The authorization response has neither a code nor an error");
  }
  return code;
}

/**
 * The issuer of the response must equal the requested issuer exactly. Otherwise the code of one server would be sent to another.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
function checkResponseIssuer(found: string | undefined, { issuer, namesIssuer }: PendingSignIn): void {
  if (found === issuer || (found === undefined && !namesIssuer)) return;
  const what = found === undefined ? "has no issuer" : `is from the issuer ${quoteIssuer(found)}`;
  throw new AuthError("issuer-mismatch", `The authorization response for ${quoteIssuer(issuer)} ${what} (iss)`);
}

function readOnce(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  if (more.length === 0) return value;
  throw new AuthError("state-mismatch", `The authorization response has more than one ${name}`);
}

function describeRejection(error: string, description: string | undefined): AuthError {
  const reason = readReason(error);
  const why = quoteReason(reason, description);
  return new AuthError("authorization-refused", `The authorization server denied the authorization request${why}`, {
    reason,
  });
}
