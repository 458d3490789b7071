import type { Shape, Tag, UnionShape } from "../model.ts";
import { resolveAlias } from "../resolve.ts";
import { conditionOf, listText } from "./check-condition.ts";
import type { CheckWriter } from "./check-text.ts";
import { accessText } from "./type-text.ts";

/** Body of the check of a union that no single condition can test. */
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
  const cases = tag.cases.map(({ value, members }) => `case ${JSON.stringify(value)}:\n${branch(members)}`);
  if (tag.absent && tag.absent.length > 0) cases.push(`case undefined:\n${branch(tag.absent)}`);
  const expected = listText(tag.cases.map(({ value }) => JSON.stringify(value)));
  const unlisted = `return fail(${JSON.stringify(expected)}, ${JSON.stringify(tag.property)});`;
  cases.push(`default:\n${tag.otherwise === undefined ? unlisted : branch([tag.otherwise])}`);
  return [
    `if (!isObject(v)) return fail("object");`,
    `switch (${accessText("v", tag.property)}) {`,
    ...cases,
    "}",
  ].join("\n");
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

/** Nothing tells the members apart but their JSON type: simple ones first, then arrays, then objects, each tried in turn. */
function untaggedBody(writer: CheckWriter, union: UnionShape, suggestion: string): string {
  const kinds = union.of.map((member) => kindOf(writer, member));
  const indexes = union.of.map((_, index) => index);
  const simple = union.of.filter((_, index) => kinds[index] === "simple");
  const arrays = indexes.filter((index) => kinds[index] === "array");
  const others = indexes.filter((index) => kinds[index] === "other");
  const lines = simple.map((member) => `if (!(${conditionOf(member, "v", writer.model)?.invalid})) return undefined;`);
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

/** `checkA(v) && checkB(v)`: nothing as soon as one accepts the value, else the issue of the last. */
function tryEach(writer: CheckWriter, union: UnionShape, members: readonly number[], suggestion: string): string {
  return members
    .flatMap((index) => {
      const member = union.of[index];
      return member ? [writer.call(member, "v", `${suggestion}Option${index + 1}`)] : [];
    })
    .join(" && ");
}
