import type { RevisionModel } from "../model.ts";

/** Short description of the source of declarations: its digest and, if known, its upstream commit. */
export function digestText({ source }: Pick<RevisionModel, "source">): string {
  const digest = `sha256 ${source.sha256.slice(0, 12)}`;
  return source.commit === undefined ? digest : `${digest}, upstream ${source.commit.slice(0, 12)}`;
}
