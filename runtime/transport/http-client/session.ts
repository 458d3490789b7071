import type { Revision } from "../../../generated/support.ts";
import { isObject } from "../../../generated/support.ts";
import { AnswerError, SessionExpiredError } from "./errors.ts";

/** A session as the server's HTTP side knows it. */
export interface HttpSession {
  /** Absent where the server keeps no session. A secret: whoever knows it can speak in the client's name. */
  readonly id?: string;
}

/** The name of the header that carries the session. */
export const sessionHeader = "Mcp-Session-Id";

/** The headers that tell which session and which revision a request belongs to. */
export function toSessionHeaders(session: HttpSession, revision: Revision | undefined): Record<string, string> {
  const headers: Record<string, string> = session.id === undefined ? {} : { [sessionHeader]: session.id };
  for (const rule of revision?.headers ?? []) {
    if (rule.source === "revision" && revision) headers[rule.name] = revision.id;
  }
  return headers;
}

/**
 * The session that an answer to `initialize` opens.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export function readSession(response: Response): HttpSession {
  const id = response.headers.get(sessionHeader);
  if (id === null) return {};
  if (!/^[\x21-\x7e]+$/.test(id)) {
    throw new AnswerError("The server gave a session id with characters that are not allowed in it");
  }
  return { id };
}

/** Throws when a server has come back as something else than what was agreed on. */
export function checkSameServer(before: unknown, after: unknown): void {
  for (const member of ["protocolVersion", "capabilities"]) {
    if (describeMember(before, member) === describeMember(after, member)) continue;
    throw new SessionExpiredError(`The server has come back with another ${member}. Connect again.`);
  }
}

function describeMember(result: unknown, member: string): string | undefined {
  return isObject(result) ? JSON.stringify(result[member]) : undefined;
}
