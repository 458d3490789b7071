import type { Shape } from "../model.ts";
import { declarationsByName, resolveObject, type Declared } from "./resolve.ts";

/** Members that runtimes use and that are missing from some revisions. Each is a declaration with a path below it. */
export const conditionalMembers = [
  "Result.resultType",
  "CacheableResult.ttlMs",
  "CacheableResult.cacheScope",
  "CompleteRequest.params.context",
  "Tool.annotations",
  "Tool.execution",
  "Tool.outputSchema",
] as const;

/** Returns the conditional members that a revision declares. */
export function knownMembersOf(model: Declared): string[] {
  return conditionalMembers.filter((member) => isDeclared(member, model));
}

function isDeclared(member: string, model: Declared): boolean {
  const [name = "", ...path] = member.split(".");
  let shape: Shape | undefined = declarationsByName(model).has(name) ? { kind: "reference", name } : undefined;
  for (const key of path) {
    shape = shape && resolveObject(shape, model)?.properties.find((property) => property.name === key)?.shape;
  }
  return shape !== undefined;
}
