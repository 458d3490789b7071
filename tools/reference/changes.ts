import { compareModels } from "../diff/compare-models.ts";
import type { RevisionModel } from "../../generator/model.ts";
import type { ContractChange } from "../../generator/typed-client/contract/impact.ts";
import { code, prose } from "./markdown.ts";

/** Differences between a revision and the one before it. */
export interface RevisionChanges {
  readonly older: RevisionModel;
  readonly newer: RevisionModel;
  readonly changes: readonly ContractChange[];
}

/** Compares each revision with the one before it. `models` are sorted, oldest first. */
export function readChanges(models: readonly RevisionModel[]): RevisionChanges[] {
  return models.slice(1).flatMap((newer, index) => {
    const older = models[index];
    return older ? [{ older, newer, changes: compareModels(older, newer) }] : [];
  });
}

/** Returns a list of the changes of a method and of some types, by revision, the newest first. It is empty if there are none. */
export function changeList(
  all: readonly RevisionChanges[],
  { method, types }: { readonly method?: string; readonly types: readonly string[] },
): string {
  const lines = [...all].reverse().flatMap(({ newer, changes }) => {
    const own = changes.filter((change) => isAbout(change, method, types));
    return own.map((change) => `- ${newer.id}: ${changeText(change)}.`);
  });
  return lines.join("\n");
}

/** Returns a change as Markdown: what, then how. */
function changeText(change: ContractChange): string {
  const { kind, name, detail } = readSubject(change);
  return `${kind === "method" ? "" : code(name)} ${prose(detail)}`.trim().replace(/\.$/, "");
}

/** Returns the kind and the name of what has changed. */
export function readSubject({ subject, detail }: ContractChange): {
  readonly kind: string;
  readonly name: string;
  readonly type: string;
  readonly detail: string;
} {
  const [kind = "", name = ""] = subject.split(" ", 2);
  return { kind, name, type: name.split(".", 1)[0] ?? "", detail };
}

/** Types without changed members are listed by the page of the revision, and by the revisions of the section. */
function isAbout(change: ContractChange, method: string | undefined, types: readonly string[]): boolean {
  const { kind, name, type } = readSubject(change);
  if (kind === "method") return name === method;
  return types.includes(type) && !(name === type && change.kind !== "changed");
}
