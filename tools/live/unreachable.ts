import { isObject } from "../../generated/support.ts";
import { isPeerError, TimeoutError } from "../../runtime/jsonrpc/errors.ts";
import { HttpError } from "../../runtime/transport/http-client/errors.ts";
import { isSecretName } from "../../runtime/server/middleware/redact.ts";
import { capitalize, safeLine, safeText } from "../../generator/internal/text.ts";
import { explainCause, systemCode } from "../../generator/internal/user-error.ts";
import type { ServerAddress } from "./server-address.ts";
import { explainUnknownRevision } from "./unknown-revision.ts";
import { adviseVariable } from "./variables.ts";

/** Explains why a server cannot be reached, and proposes a next step if the reason does not imply one. */
export function explainUnreachable(place: ServerAddress, cause: unknown): string {
  if (isMissingProgram(cause) && place.kind === "command")
    return `the command ${place.command} does not exist; check its name.`;
  const rejection = findHttpError(cause);
  const { status = 0 } = rejection ?? {};
  if (rejection && requiresCredentials(rejection))
    return `it requires credentials (HTTP ${status}); ${credentialStep(headersOf(place))}.`;
  if (rejection && status === 403) return `it returned HTTP 403${quoteBody(rejection)}. ${permissionAdvice}`;
  const unknown = explainUnknownRevision(cause);
  if (unknown !== undefined) return `${unknown}.`;
  const isSilent = cause instanceof Error && cause.name === "TimeoutError";
  const why = isSilent ? "it does not respond" : explainFailure(cause);
  const isSaid = why.includes(quotedWords) || status >= 500 || (status >= 300 && status < 400);
  const variable = place.kind === "command" ? adviseVariable(why, { given: place.env ?? {} }) : "";
  const next = variable === "" && !isSaid ? advice[place.kind] : variable;
  return `${why}. ${next}`.trimEnd();
}

/** Text before the last words of a program in the error of its connection. */
export const quotedWords = "; its last words: ";

/** Returns the names of the headers for a server. */
function headersOf(place: ServerAddress): readonly string[] {
  const given = "headers" in place ? place.headers : undefined;
  const headers = typeof given === "function" ? given() : given;
  return isObject(headers) ? Object.keys(headers) : [];
}

const advice = {
  command: "Run the command directly to see its output.",
  url: "Check the address, and that the server is running.",
  websocket: "Check the address, and that the server is running.",
  tcp: "Check the address, and that the server is running.",
} as const;

function isMissingProgram(error: unknown): boolean {
  return error instanceof Error && systemCode(error.cause) === "ENOENT";
}

/** Explains why a request to a connected server failed, by the root cause. */
export function explainFailure(error: unknown): string {
  if (error instanceof TimeoutError)
    return `it did not respond to ${error.method} within ${error.milliseconds / 1_000} s; raise --timeout for a slow server`;
  const words = safeText(explainCause(error)).replace(/\.$/, "");
  return isPeerError(error) ? `it returned the error ${error.code}: ${words}` : words;
}

/** Explains why the lists of a connected server cannot be read, and proposes a next step if the reason does not have one. */
export function explainUnreadable(error: unknown): string {
  const step = error instanceof TimeoutError ? "" : " Look for its faults with the command check.";
  return `${explainFailure(error)}.${step}`;
}

/** True if a server rejects a client for its credentials. It may return 403 for other reasons, such as an unknown host name. */
export function requiresCredentials({
  status,
  wwwAuthenticate,
}: Pick<HttpError, "status" | "wwwAuthenticate">): boolean {
  return status === 401 || (status === 403 && wwwAuthenticate !== undefined);
}

/** Next step after a rejection of credentials, or for want of them. `headers` has the names of the headers sent. */
export function credentialStep(headers: readonly string[]): string {
  return headers.some(isSecretName)
    ? "check the value of the credentials that were sent, and what they permit"
    : "send credentials with --header-env Name=VARIABLE";
}

/** Next step after a rejection for another reason than credentials. */
export const permissionStep = "check which host names and clients the server permits";

/** Next step after such a rejection, as a sentence. */
export const permissionAdvice: string = `${capitalize(permissionStep)}.`;

function quoteBody({ body }: HttpError): string {
  const text = safeLine(body).replace(/\.$/, "");
  return text === "" ? "" : `: ${text}`;
}

function findHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  return error instanceof Error ? findHttpError(error.cause) : undefined;
}
