import { revisions } from "../../generated/revisions.ts";
import type { Revision } from "../../generated/support.ts";
import { readMetaKeys } from "../../runtime/protocol/session/request-metadata.ts";

/** The revisions with a handshake, newest first. */
export const handshakeRevisions: readonly Revision[] = revisions.filter(({ lifecycle }) => lifecycle === "handshake");

/** The revision with this name. */
export function revisionOf(id: string): Revision {
  const revision = revisions.find((candidate) => candidate.id === id);
  if (!revision) throw new Error(`No revision ${id}`);
  return revision;
}

/** A revision in which batches exist, and one in which they do not. */
export const batching: Revision = revisionOf("2025-03-26");
export const newest: Revision = revisionOf("2025-11-25");

/** The newest revision whose requests stand alone. */
export const statelessRevision: Revision = first();

/** A revision that nobody else has: the runtime must work on the data alone. */
export const invented: Revision = {
  ...newest,
  id: "3000-01-01",
  clientRequests: {
    ping: row("ping", "ping"),
    initialize: row("initialize", "initialize"),
    "things/do": row("things/do", "doThing"),
  },
  serverRequests: { ping: row("ping", "ping") },
};

/** Returns a row that accepts any params and results. */
export function row(method: string, handler: string): Revision["clientRequests"][string] {
  const accept = (): undefined => undefined;
  return { kind: "request", method, handler, params: accept, paramsOptional: true, result: accept };
}

function first(): Revision {
  const found = revisions.find(({ lifecycle }) => lifecycle === "per-request");
  if (!found || readMetaKeys(found).version !== "io.modelcontextprotocol/protocolVersion") {
    throw new Error("no revision whose requests stand alone");
  }
  return found;
}
