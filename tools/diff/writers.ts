import type { Declaration, RevisionModel, Role, Shape } from "../../generator/model.ts";
import { declarationsByName, resolveObject } from "../../generator/model/resolve.ts";
import { referencesIn } from "../../generator/model/shapes.ts";

/** Roles that write values of a declaration into messages, by the declaration's name. */
export type Writers = ReadonlyMap<string, ReadonlySet<Role>>;

/** Finds the writers of every declaration. The sender of a method writes its params; the other side writes the results. */
export function findWriters(model: RevisionModel): Writers {
  const writers = new Map<string, Set<Role>>();
  for (const { senders, params, result, alternatives, type, kind } of model.methods) {
    // An embedded request is part of a result. The side that would receive it as a message writes no part of it.
    for (const sender of senders) {
      const other = sender === "client" ? "server" : "client";
      const asked = kind === "embedded" ? "server" : sender;
      const responder = kind === "embedded" ? "client" : other;
      mark(writers, [type, ...(params ? referencesIn(params.shape) : [])], asked, model);
      const results: readonly Shape[] = result ? [result] : [];
      mark(writers, [...results.flatMap(referencesIn), ...alternatives.map((one) => one.type)], responder, model);
    }
  }
  return writers;
}

/** Marks all declarations reachable from some names as written by a role. */
function mark(writers: Map<string, Set<Role>>, names: readonly string[], role: Role, model: RevisionModel): void {
  const declared = declarationsByName(model);
  const reached = new Set(names);
  for (const name of reached) {
    const roles = writers.get(name) ?? new Set<Role>();
    writers.set(name, roles.add(role));
    for (const next of partsOf(declared.get(name), model)) reached.add(next);
  }
}

/** Names to which a declaration refers. Inherited members count; the base declarations themselves do not. */
function partsOf(declaration: Declaration | undefined, model: RevisionModel): string[] {
  if (!declaration) return [];
  const object =
    declaration.kind === "interface" ? resolveObject({ kind: "reference", name: declaration.name }, model) : undefined;
  return referencesIn(object ?? declaration.shape);
}
