import type { Property, Shape, Tag, UnionShape } from "../model.ts";
import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { resolveAlias, type Declared } from "../model/resolve.ts";
import { conditionOf, listText, type Condition, type SupportName } from "./check-condition.ts";
import { accessText } from "./type-text.ts";

/** Check being written. It records the names its text uses. */
export interface CheckScope {
  readonly model: Declared;
  /** Checked declaration, or place of an anonymous shape. Shapes inside of it are named after it. */
  readonly place: string;
  /** True if the check has a parameter for the depth of recursion. */
  readonly countsDepth: boolean;
  /** Names of the checks called so far. */
  readonly calls: ReadonlySet<string>;
  /** Names of the support module used so far. */
  readonly support: ReadonlySet<SupportName>;
  /** Returns a name of the support module, and records its use. */
  use(name: SupportName): SupportName;
  /** Returns the test of a simple shape, and records the use of its guards. */
  condition(shape: Shape, expression: string): Condition | undefined;
  /** Returns a call of the check of a shape on the value itself, at the same depth of recursion. `place` names the helper of an anonymous shape. */
  call(shape: Shape, place: string): string;
  /** Returns a call on a part of the value, such as `v.a`, one level deeper. The bound on the depth depends on it. */
  callPart(shape: Shape, access: string, place: string): string;
  /** Returns the declaration in which a property is written: its helper is named after it. */
  originOf(property: Property): string;
}

/** Returns the body of the check of a union for which no single condition is enough. */
export function unionBody(scope: CheckScope, union: UnionShape): string {
  if (union.tag?.kind === "literal") return literalTagBody(scope, union, union.tag);
  if (union.tag?.kind === "presence") return presenceBody(scope, union, union.tag);
  return untaggedBody(scope, union);
}

function literalTagBody(scope: CheckScope, union: UnionShape, tag: Tag & { kind: "literal" }): string {
  const branch = (members: readonly number[]): string => `return ${tryEach(scope, union, members)};`;
  const labels = tag.cases.map(({ value, members }) => ({
    label: `case ${JSON.stringify(value)}:`,
    text: branch(members),
  }));
  if (tag.absent) labels.push({ label: "case undefined:", text: branch(tag.absent) });
  const expected = listText(tag.cases.map(({ value }) => JSON.stringify(value)));
  const unlisted = (): string =>
    `return ${scope.use("fail")}(${JSON.stringify(expected)}, ${JSON.stringify(escapeKey(tag.property))});`;
  labels.push({ label: "default:", text: tag.otherwise === undefined ? unlisted() : branch([tag.otherwise]) });
  const subject = accessText("v", tag.property);
  return [
    `if (!${scope.use("isObject")}(v)) return ${scope.use("fail")}("object");`,
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

function presenceBody(scope: CheckScope, union: UnionShape, tag: Tag & { kind: "presence" }): string {
  const branches = tag.cases.map(({ keys, member }) => {
    const present = keys.map((key) => `${accessText("v", key)} !== undefined`).join(" && ");
    return `if (${present}) return ${tryEach(scope, union, [member])};`;
  });
  const expected = listText(tag.cases.map(({ keys }) => keys.map((key) => JSON.stringify(key)).join(" and ")));
  const none = `return ${scope.use("fail")}(${JSON.stringify(`object with ${expected}`)});`;
  return [`if (!${scope.use("isObject")}(v)) return ${scope.use("fail")}("object");`, ...branches, none].join("\n");
}

/** Only the JSON type distinguishes the members: simple ones are tested first, then possible arrays, then objects, each in turn. */
function untaggedBody(scope: CheckScope, union: UnionShape): string {
  const { model } = scope;
  const isSimple = (member: Shape): boolean => conditionOf(member, "v", model) !== undefined;
  const simple = union.of.filter(isSimple);
  const complex = union.of.flatMap((member, index) => (isSimple(member) ? [] : [{ member, index }]));
  const arrays = complex.filter(({ member }) => mayBeArray(member, model)).map(({ index }) => index);
  const others = complex.filter(({ member }) => !isArray(member, model)).map(({ index }) => index);
  const condition = simple.length > 0 ? scope.condition({ kind: "union", of: simple }, "v") : undefined;
  const lines = condition ? [`if (${condition.valid}) return undefined;`] : [];
  if (arrays.length > 0) lines.push(`if (Array.isArray(v)) return ${tryEach(scope, union, arrays)};`);
  if (others.length > 0) lines.push(`return ${tryEach(scope, union, others)};`);
  else lines.push(`return ${scope.use("fail")}(${JSON.stringify(expectedText(scope, union))});`);
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

function expectedText({ model }: CheckScope, union: UnionShape): string {
  return listText(
    union.of.map((member) => conditionOf(member, "v", model)?.expected ?? resolveAlias(member, model).kind),
  );
}

/** Emits `checkA(v) && checkB(v)`: `undefined` as soon as one check accepts the value, otherwise the issue of the last check. */
function tryEach(scope: CheckScope, union: UnionShape, members: readonly number[]): string {
  return members
    .flatMap((index) => {
      const member = union.of[index];
      return member ? [scope.call(member, `${scope.place}Option${index + 1}`)] : [];
    })
    .join(" && ");
}
