import type { Revision } from "../../../generated/support.ts";

/** The revisions of a server as far as HTTP is concerned. */
export interface SpokenRevisions {
  /** The revision with this name, if sessions of it are served. */
  find(id: string): Revision | undefined;
  /** Whether sessions are served at all. */
  readonly hasSessions: boolean;
  /** True if one of them knows HTTP with SSE alone: sessions without a header that names them. */
  readonly hasSse: boolean;
  /** For people: which names there are. */
  readonly names: string;
  /**
   * What a request speaks that says nothing: the newest revision that knows this transport but not yet the header with its name. Absent when
   * no such revision is served.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
   */
  readonly assumed: Revision | undefined;
}

/** Reads from the header rules of the revisions what HTTP needs to know. */
export function toSpokenRevisions(revisions: readonly Revision[]): SpokenRevisions {
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
