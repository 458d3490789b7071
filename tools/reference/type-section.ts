import type { Declaration } from "../../generator/model.ts";
import { declarationsByName, resolveConstraints, resolveObject } from "../../generator/model/resolve.ts";
import { changeList } from "./changes.ts";
import { docProse, fieldTable } from "./fields.ts";
import { blocks, code, table } from "./markdown.ts";
import type { SectionInput } from "./message-section.ts";
import { typeLinks, type LinkOf } from "./type-links.ts";
import { runsOf, spanText, type Version, type Versioned } from "./versions.ts";

/** Writes the section about a type: its fields or its definition at each revision, and its changes. */
export function typeSection(name: string, { layout: { all }, linkOf, changes }: SectionInput): string {
  const found = all.flatMap((version) => {
    const value = declarationsByName(version).get(name);
    return value ? [{ version, value }] : [];
  });
  const span = spanText(
    found.map(({ version }) => version),
    all,
  );
  const objects = found.filter(({ version }) => resolveObject({ kind: "reference", name }, version));
  const others = found.filter((each) => !objects.includes(each));
  const shapes = objects.map(({ version }) => ({ version, value: { kind: "reference", name } as const }));
  const history = changeList(changes, { types: [name] });
  return blocks([
    `### ${name}`,
    docProse(found.at(-1)?.value.doc),
    span === "all" || span === "" ? "" : `Revisions: ${span}.`,
    definitionTable(others, all, linkOf),
    objects.length === 0 ? "" : fieldTable({ shapes, all, linkOf }) || "Any object.",
    constraintText(found.at(-1)),
    history === "" ? "" : `Changes:\n\n${history}`,
  ]);
}

/** Writes the definitions of a type other than a single object, such as a union. */
function definitionTable(found: readonly Versioned<Declaration>[], all: readonly Version[], linkOf: LinkOf): string {
  const texts = found.map(({ version, value: { shape } }) => ({ version, value: typeLinks(shape, linkOf) }));
  const rows = runsOf(texts, all, String).map(({ value, versions }) => [value, spanText(versions, all)]);
  return table(["definition", "revisions"], rows);
}

function constraintText(found: Versioned<Declaration> | undefined): string {
  const constraints = found ? resolveConstraints(found.value, found.version) : [];
  const lines = constraints.map(({ rule, properties }) => {
    const amount = rule === "atLeastOne" ? "At least" : "At most";
    return `${amount} one of ${properties.map(code).join(", ")} is present.`;
  });
  return lines.join(" ");
}
