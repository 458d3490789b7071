import type { Revision } from "../../generated/support.ts";
import { createRevisionConverter, type RevisionConverter } from "../protocol/revision/revision-converter.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Creates the converter of what a server sends to a revision; `undefined` if the code of the server is written for it. */
export type CreateConverter = (revision: Revision, options: ServeOptions) => RevisionConverter | undefined;

/** Creates the converter of what a server sends to a revision. The server's code is written for its first revision. */
export function createServedConverter(
  revision: Revision,
  { revisions, onLoss: mode, onError }: ServeOptions,
): RevisionConverter | undefined {
  return createRevisionConverter(revision, { role: "server", written: revisions[0] ?? revision, mode, onError });
}
