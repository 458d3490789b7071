import type { Revision } from "../../generated/support.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/**
 * Returns the revisions to use: the given one, or all.
 *
 * @throws {UserError} when the given revision is unknown.
 */
export function chooseRevisions(id: string | undefined, all: readonly Revision[]): readonly Revision[] {
  if (id === undefined) return all;
  const chosen = all.filter((revision) => revision.id === id);
  if (chosen.length > 0) return chosen;
  const choice = all.map((one) => one.id).join(", ");
  throw new UserError(`--protocol: unknown revision ${JSON.stringify(id)}; choose one of ${choice}.`);
}
