import { declarationsByName, resolveObject, type Declared } from "./resolve.ts";

/** Declarations by which servers describe themselves and what they offer. */
const declarations = ["Implementation", "Tool", "Resource", "ResourceTemplate", "Prompt", "PromptArgument"] as const;

/** Returns the members of the declarations by which servers describe themselves, by the name of the declaration. */
export function descriptionMembersOf(model: Declared): Readonly<Record<string, readonly string[]>> {
  const known = declarationsByName(model);
  const members = (name: string): readonly string[] =>
    resolveObject({ kind: "reference", name }, model)?.properties.map((property) => property.name) ?? [];
  return Object.fromEntries(declarations.filter((name) => known.has(name)).map((name) => [name, members(name)]));
}
