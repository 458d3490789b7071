import type { Shape, Tag, UnionShape } from "../model.ts";
import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { resolveAlias, type Declared } from "../model/resolve.ts";
import { conditionOf, listText, type Condition, type SupportName } from "./check-condition.ts";
import { accessText } from "./type-text.ts";

/** Writer of the function that checks a union. */
export interface UnionWriter {
  readonly model: Declared;
  /** Returns a name of the support module, and records its use in the function. */
  use(name: SupportName): SupportName;
  /** Returns the test of a simple shape, and records the use of its guards in the function. */
  condition(shape: Shape, expression: string): Condition | undefined;
  /**
   * Returns a call of the function for a shape. `suggestion` names the helper of an anonymous shape, without the prefix `check`. Inside a recursive
   * check the call passes the depth on, incremented for a member.
   */
  call(shape: Shape, expression: string, suggestion: string): string;
}

/** Returns the body of the check of a union for which no single condition is enough. */
export function unionBody(writer: UnionWriter, union: UnionShape, suggestion: string): string {
  if (union.tag?.kind === "literal") return literalTagBody(writer, union, union.tag, suggestion);
  if (union.tag?.kind === "presence") return presenceBody(writer, union, union.tag, suggestion);
  return untaggedBody(writer, union, suggestion);
}

function literalTagBody(
  writer: UnionWriter,
  union: UnionShape,
  tag: Tag & { kind: "literal" },
  suggestion: string,
): string {
  const branch = (members: readonly number[]): string => `return ${tryEach(writer, union, members, suggestion)};`;
  const labels = tag.cases.map(({ value, members }) => ({
    label: `case ${JSON.stringify(value)}:`,
    text: branch(members),
  }));
  if (tag.absent) labels.push({ label: "case undefined:", text: branch(tag.absent) });
  const expected = listText(tag.cases.map(({ value }) => JSON.stringify(value)));
  const unlisted = (): string =>
    `return ${writer.use("fail")}(${JSON.stringify(expected)}, ${JSON.stringify(escapeKey(tag.property))});`;
  labels.push({ label: "default:", text: tag.otherwise === undefined ? unlisted() : branch([tag.otherwise]) });
  const subject = accessText("v", tag.property);
  return [
    `if (!${writer.use("isObject")}(v)) return ${writer.use("fail")}("object");`,
    `switch (${subject}) {`,
    ...joinCases(labels),
    "}",
  ].join("\n");
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
  writer: UnionWriter,
  union: UnionShape,
  tag: Tag & { kind: "presence" },
  suggestion: string,
): string {
  const branches = tag.cases.map(({ keys, member }) => {
    const present = keys.map((key) => `${accessText("v", key)} !== undefined`).join(" && ");
    return `if (${present}) return ${tryEach(writer, union, [member], suggestion)};`;
  });
  const expected = listText(tag.cases.map(({ keys }) => keys.map((key) => JSON.stringify(key)).join(" and ")));
  const none = `return ${writer.use("fail")}(${JSON.stringify(`object with ${expected}`)});`;
  return [`if (!${writer.use("isObject")}(v)) return ${writer.use("fail")}("object");`, ...branches, none].join("\n");
}

/** Only the JSON type distinguishes the members: simple ones are tested first, then possible arrays, then objects, each in turn. */
function untaggedBody(writer: UnionWriter, union: UnionShape, suggestion: string): string {
  const { model } = writer;
  const isSimple = (member: Shape): boolean => conditionOf(member, "v", model) !== undefined;
  const simple = union.of.filter(isSimple);
  const complex = union.of.flatMap((member, index) => (isSimple(member) ? [] : [{ member, index }]));
  const arrays = complex.filter(({ member }) => mayBeArray(member, model)).map(({ index }) => index);
  const others = complex.filter(({ member }) => !isArray(member, model)).map(({ index }) => index);
  const condition = simple.length > 0 ? writer.condition({ kind: "union", of: simple }, "v") : undefined;
  const lines = condition ? [`if (${condition.valid}) return undefined;`] : [];
  if (arrays.length > 0) lines.push(`if (Array.isArray(v)) return ${tryEach(writer, union, arrays, suggestion)};`);
  if (others.length > 0) lines.push(`return ${tryEach(writer, union, others, suggestion)};`);
  else lines.push(`return ${writer.use("fail")}(${JSON.stringify(expectedText(writer, union))});`);
  return lines.join("\n");
}

function isArray(shape: Shape, model: Declared): boolean {
  return resolveAlias(shape, model).kind === "array";
}

/** True if an array may be a value of a shape, which may be a union itself. */
function mayBeArray(shape: Shape, model: Declared): boolean {
  const found = resolveAlias(shape, model);
  if (found.kind === "union") return found.of.some((member) => mayBeArray(member, model));
  return found.kind === "array" || found.kind === "unknown";
}

function expectedText(writer: UnionWriter, union: UnionShape): string {
  return listText(
    union.of.map(
      (member) => conditionOf(member, "v", writer.model)?.expected ?? resolveAlias(member, writer.model).kind,
    ),
  );
}

/** Emits `checkA(v) && checkB(v)`: `undefined` as soon as one check accepts the value, otherwise the issue of the last check. */
function tryEach(writer: UnionWriter, union: UnionShape, members: readonly number[], suggestion: string): string {
  return members
    .flatMap((index) => {
      const member = union.of[index];
      return member ? [writer.call(member, "v", `${suggestion}Option${index + 1}`)] : [];
    })
    .join(" && ");
}
