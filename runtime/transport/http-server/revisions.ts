import type { Revision } from "../../../generated/support.ts";

/** Revisions with sessions, as far as they concern HTTP. */
export interface SessionRevisions {
  /** Returns the revision with this name, if sessions of it are served. */
  find(id: string): Revision | undefined;
  /** True if sessions are served. */
  readonly hasSessions: boolean;
  /** True if one of the revisions supports only HTTP with SSE: its sessions have no header. */
  readonly hasSse: boolean;
  /** Names of the revisions, for error messages. */
  readonly names: string;
  /**
   * Revision of requests without a version header: the newest one with this transport whose clients do not send the header. Absent when no such
   * revision is served.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
   */
  readonly assumed: Revision | undefined;
}

/** Derives the data from the header rules of the revisions. */
export function toSessionRevisions(revisions: readonly Revision[]): SessionRevisions {
  const spoken = new Map(revisions.filter(isHandshake).map((revision) => [revision.id, revision]));
  const has = (revision: Revision, source: string): boolean =>
    revision.headers.some((header) => header.source === source);
  return {
    find: (id) => spoken.get(id),
    hasSessions: spoken.size > 0,
    hasSse: [...spoken.values()].some((revision) => !has(revision, "session")),
    names: [...spoken.keys()].join(", "),
    assumed: [...spoken.values()].find((revision) => has(revision, "session") && !has(revision, "revision")),
  };
}

function isHandshake(revision: Revision): boolean {
  return revision.lifecycle === "handshake";
}
