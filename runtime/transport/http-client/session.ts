import type { Revision } from "../../../generated/support.ts";
import { isObject } from "../../../generated/support.ts";
import { ResponseError, SessionExpiredError } from "./errors.ts";

/** Session at the HTTP level. */
export interface HttpClientSession {
  /** Id of the session; absent where the server keeps no session. A secret: with it a peer can act as the client. */
  readonly id?: string;
}

/** Name of the header with the session id. */
const header = "Mcp-Session-Id";

/** Returns the headers with the session and the revision of a request. */
export function toSessionHeaders(session: HttpClientSession, revision: Revision | undefined): Record<string, string> {
  const headers: Record<string, string> = session.id === undefined ? {} : { [header]: session.id };
  for (const rule of revision?.headers ?? []) {
    if (rule.source === "revision" && revision) headers[rule.name] = revision.id;
  }
  return headers;
}

/**
 * Returns the session opened by a response to `initialize`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 * @throws {ResponseError} when the session id contains forbidden characters
 */
export function readSession(response: Response): HttpClientSession {
  const id = response.headers.get(header);
  if (id === null) return {};
  if (!/^[\x21-\x7e]+$/.test(id)) {
    throw new ResponseError("The server returned a session ID with invalid characters");
  }
  return { id };
}

/** @throws {SessionExpiredError} when a server has come back with another protocol version or other capabilities */
export function checkSameServer(before: unknown, after: unknown): void {
  for (const member of ["protocolVersion", "capabilities"]) {
    if (describeMember(before, member) === describeMember(after, member)) continue;
    throw new SessionExpiredError(`The server has returned another ${member} than before; connect again`);
  }
}

function describeMember(result: unknown, member: string): string | undefined {
  return isObject(result) ? JSON.stringify(result[member]) : undefined;
}
