import type { Revision } from "../../generated/support.ts";
import { createRevisionConverter, type RevisionConverter } from "../protocol/revision/revision-converter.ts";
import type { OpenOptions } from "./open-options.ts";

/** Creates the converter of a client at a revision; `undefined` at the revision of its code. */
export function createClientConverter(
  revision: Revision,
  { revisions, written = revisions[0] ?? revision, onLoss: mode, onError }: OpenOptions,
): RevisionConverter | undefined {
  return createRevisionConverter(revision, { role: "client", written, mode, onError });
}
