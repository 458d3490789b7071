import type { Shape, Tag, UnionShape } from "../model.ts";
import { resolveAlias } from "../model/resolve.ts";
import { conditionOf, listText } from "./check-condition.ts";
import type { CheckWriter } from "./check-text.ts";
import { accessText } from "./type-text.ts";

/** Returns the body of the check of a union that no single condition can test. */
export function unionBody(writer: CheckWriter, union: UnionShape, suggestion: string): string {
  if (union.tag?.kind === "literal") return literalTagBody(writer, union, union.tag, suggestion);
  if (union.tag?.kind === "presence") return presenceBody(writer, union, union.tag, suggestion);
  return untaggedBody(writer, union, suggestion);
}

function literalTagBody(
  writer: CheckWriter,
  union: UnionShape,
  tag: Tag & { kind: "literal" },
  suggestion: string,
): string {
  const branch = (members: readonly number[]): string => `return ${tryEach(writer, union, members, suggestion)};`;
  const labels = tag.cases.map(({ value, members }) => ({
    label: `case ${JSON.stringify(value)}:`,
    text: branch(members),
  }));
  if (tag.absent && tag.absent.length > 0) labels.push({ label: "case undefined:", text: branch(tag.absent) });
  const expected = listText(tag.cases.map(({ value }) => JSON.stringify(value)));
  const unlisted = `return fail(${JSON.stringify(expected)}, ${JSON.stringify(tag.property)});`;
  labels.push({ label: "default:", text: tag.otherwise === undefined ? unlisted : branch([tag.otherwise]) });
  const subject = accessText("v", tag.property);
  return [`if (!isObject(v)) return fail("object");`, `switch (${subject}) {`, ...joinCases(labels), "}"].join("\n");
}

/** Groups labels of the same branch at the position of the first of them. `default` stays last. */
function joinCases(labels: readonly { readonly label: string; readonly text: string }[]): string[] {
  const branches = new Map<string, string[]>();
  for (const { label, text } of labels) {
    const known = branches.get(text);
    if (known && label !== "default:") known.push(label);
    else branches.set(label === "default:" ? `${text}\n` : text, [label]);
  }
  return [...branches].map(([text, group]) => `${group.join("\n")}\n${text}`);
}

function presenceBody(
  writer: CheckWriter,
  union: UnionShape,
  tag: Tag & { kind: "presence" },
  suggestion: string,
): string {
  const branches = tag.cases.map(({ keys, member }) => {
    const present = keys.map((key) => `${accessText("v", key)} !== undefined`).join(" && ");
    return `if (${present}) return ${tryEach(writer, union, [member], suggestion)};`;
  });
  const expected = listText(tag.cases.map(({ keys }) => keys.map((key) => JSON.stringify(key)).join(" and ")));
  const none = `return fail(${JSON.stringify(`object with ${expected}`)});`;
  return [`if (!isObject(v)) return fail("object");`, ...branches, none].join("\n");
}

/** Only the JSON type distinguishes the members: simple ones are tested first, then arrays, then objects, each in turn. */
function untaggedBody(writer: CheckWriter, union: UnionShape, suggestion: string): string {
  const kinds = union.of.map((member) => kindOf(writer, member));
  const indexes = union.of.map((_, index) => index);
  const simple = union.of.filter((_, index) => kinds[index] === "simple");
  const arrays = indexes.filter((index) => kinds[index] === "array");
  const others = indexes.filter((index) => kinds[index] === "other");
  const condition = conditionOf({ kind: "union", of: simple }, "v", writer.model);
  const lines = condition && simple.length > 0 ? [`if (${condition.valid}) return undefined;`] : [];
  if (arrays.length > 0) lines.push(`if (Array.isArray(v)) return ${tryEach(writer, union, arrays, suggestion)};`);
  if (others.length > 0) lines.push(`return ${tryEach(writer, union, others, suggestion)};`);
  else lines.push(`return fail(${JSON.stringify(expectedText(writer, union))});`);
  return lines.join("\n");
}

function kindOf(writer: CheckWriter, member: Shape): "simple" | "array" | "other" {
  if (conditionOf(member, "v", writer.model)) return "simple";
  return resolveAlias(member, writer.model).kind === "array" ? "array" : "other";
}

function expectedText(writer: CheckWriter, union: UnionShape): string {
  return listText(
    union.of.map(
      (member) => conditionOf(member, "v", writer.model)?.expected ?? resolveAlias(member, writer.model).kind,
    ),
  );
}

/** Emits `checkA(v) && checkB(v)`: `undefined` as soon as one check accepts the value, otherwise the issue of the last check. */
function tryEach(writer: CheckWriter, union: UnionShape, members: readonly number[], suggestion: string): string {
  return members
    .flatMap((index) => {
      const member = union.of[index];
      return member ? [writer.call(member, "v", `${suggestion}Option${index + 1}`)] : [];
    })
    .join(" && ");
}
