import type { Gate, Role, Shape } from "../model.ts";
import { declarationsByName, resolveObject, type Declared } from "./resolve.ts";

/** True if the declarations contain the capability of a gate. */
export function hasCapability(model: Declared, { side, path }: Gate): boolean {
  const type = capabilitiesType(side);
  const isDeclared = model.declarations.some(({ name }) => name === type);
  let shape: Shape | undefined = isDeclared ? { kind: "reference", name: type } : undefined;
  for (const key of path) {
    shape = shape && resolveObject(shape, model)?.properties.find(({ name }) => name === key)?.shape;
  }
  return shape !== undefined;
}

/** Returns every capability a side can declare. Nested ones follow the outer one: `sampling`, `sampling.tools`. */
export function capabilitiesOf(side: Role, model: Declared): string[] {
  const name = capabilitiesType(side);
  return declarationsByName(model).has(name) ? membersIn({ kind: "reference", name }, model, []) : [];
}

/** Returns the name of the declaration with the capabilities of a side. */
export function capabilitiesType(side: Role): string {
  return side === "client" ? "ClientCapabilities" : "ServerCapabilities";
}

/** `open` holds the types on the current path. A type that contains itself is not entered again. */
function membersIn(shape: Shape, model: Declared, open: readonly string[]): string[] {
  const type = shape.kind === "reference" ? shape.name : "";
  if (open.includes(type)) return [];
  const around = type === "" ? open : [...open, type];
  const properties = resolveObject(shape, model)?.properties ?? [];
  return properties.flatMap(({ name, shape: inner }) => [
    name,
    ...membersIn(inner, model, around).map((member) => `${name}.${member}`),
  ]);
}
