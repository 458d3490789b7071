import type { Declaration, Shape } from "../model.ts";
import { readComment } from "./doc-comment.ts";
import { locationOf, plainName, readFiniteNumber, reject, ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { unionOf } from "./unions.ts";

/** Reads an enum as the union of its values. */
export function readEnum(path: string, name: string, statement: ts.EnumDeclaration): Declaration {
  const { doc } = readComment(path, statement);
  const values = [...readValues(path, statement).values()];
  if (values.length === 0) throw reject(path, statement, "expected an enum with members");
  return {
    name,
    kind: "alias",
    extends: [],
    shape: unionOf(values.map((value) => ({ kind: "literal", value }))),
    ...(doc && { doc }),
    location: locationOf(statement),
  };
}

/** Returns the literal of `Enum.Member`, or `undefined` if there is no such enum. @throws {SpecError} when the enum lacks the member. */
export function readEnumMember({ path, file, namespaces }: TypeContext, parts: readonly string[]): Shape | undefined {
  const statement = file.find(parts.slice(0, -1), namespaces)?.statements[0];
  if (!statement || !ts.isEnumDeclaration(statement)) return undefined;
  const value = readValues(path, statement).get(parts.at(-1) ?? "");
  if (value === undefined) throw reject(path, statement, `the enum has no member \`${parts.at(-1)}\``);
  return { kind: "literal", value };
}

/** Members without a value count on from the one before, as in TypeScript. */
function readValues(path: string, { members }: ts.EnumDeclaration): ReadonlyMap<string, string | number> {
  const values = new Map<string, string | number>();
  let next: number | undefined = 0;
  for (const member of members) {
    const value: string | number | undefined = member.initializer ? readValue(member.initializer) : next;
    const name = plainName(member.name);
    if (value === undefined || name === undefined)
      throw reject(path, member, "expected a member with a string or a number");
    values.set(name, value);
    next = typeof value === "number" ? value + 1 : undefined;
  }
  return values;
}

function readValue(node: ts.Expression): string | number | undefined {
  return ts.isStringLiteralLike(node) ? node.text : readFiniteNumber(node);
}
