import { revisions } from "../../generated/revisions.ts";
import { VersionError } from "../../runtime/jsonrpc/errors.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";

/** Describes the offered revisions of a server that this version does not know; `undefined` when there are none, or it offers a known one as well. */
export function describeUnknownRevisions(offered: readonly unknown[]): string | undefined {
  const known: readonly unknown[] = revisions.map(({ id }) => id);
  const unknown = offered.filter((id) => typeof id === "string" && /^[\w.-]{1,40}$/.test(id) && !known.includes(id));
  if (unknown.length === 0 || offered.some((id) => known.includes(id))) return undefined;
  const ids = [...new Set(unknown)].slice(0, 5).join(", ");
  return `it supports ${ids}, which create-mcp-server ${packageVersion()} does not know`;
}

/** Next step for a server whose revisions this version does not know. */
export const unknownRevisionAdvice = "use a version that knows it; for a revision of your own see: docs upgrade";

/** Explains why client and server have no revision in common: this version does not know the server's revisions; `undefined` for other errors. */
export function explainUnknownRevision(error: unknown): string | undefined {
  if (!(error instanceof VersionError)) return error instanceof Error ? explainUnknownRevision(error.cause) : undefined;
  const problem = describeUnknownRevisions(error.offered);
  return problem === undefined ? undefined : `${problem}; ${unknownRevisionAdvice}`;
}
