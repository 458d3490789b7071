import type { Revision } from "../../generated/support.ts";
import { createRevisionConverter, type RevisionConverter } from "../protocol/revision/revision-converter.ts";
import type { OpenOptions } from "./open-options.ts";

/** Creates the converter of what a client sends to a revision; `undefined` for the first of its revisions, for which its code is written. */
export function createClientConverter(
  revision: Revision,
  { revisions, onLoss: mode, onError }: OpenOptions,
): RevisionConverter | undefined {
  return createRevisionConverter(revision, { role: "client", written: revisions[0] ?? revision, mode, onError });
}
