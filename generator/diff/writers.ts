import type { Declaration, RevisionModel, Role, Shape } from "../model.ts";
import { declarationsByName, resolveObject } from "../resolve.ts";
import { referencesIn } from "../shapes.ts";

/** Who writes values of a declaration into messages, by its name. */
export type Writers = ReadonlyMap<string, ReadonlySet<Role>>;

/** Finds out who writes what: params are written by whoever sends a method, results by the other side. */
export function findWriters(model: RevisionModel): Writers {
  const writers = new Map<string, Set<Role>>();
  for (const { senders, params, result, alternatives, type, kind } of model.methods) {
    // An embedded request is part of a result, so the side that would receive it as a message writes nothing of it.
    for (const sender of senders) {
      const other = sender === "client" ? "server" : "client";
      const asked = kind === "embedded" ? "server" : sender;
      const answering = kind === "embedded" ? "client" : other;
      mark(writers, [type, ...(params ? referencesIn(params.shape) : [])], asked, model);
      const results: readonly Shape[] = result ? [result] : [];
      mark(writers, [...results.flatMap(referencesIn), ...alternatives.map((one) => one.type)], answering, model);
    }
  }
  return writers;
}

/** Everything that is reachable from some names is written by the same role. */
function mark(writers: Map<string, Set<Role>>, names: readonly string[], role: Role, model: RevisionModel): void {
  const declared = declarationsByName(model);
  const reached = new Set(names);
  for (const name of reached) {
    const roles = writers.get(name) ?? new Set<Role>();
    writers.set(name, roles.add(role));
    for (const next of partsOf(declared.get(name), model)) reached.add(next);
  }
}

/** What a value of a declaration consists of: what it inherits is part of it, the bases themselves are not. */
function partsOf(declaration: Declaration | undefined, model: RevisionModel): string[] {
  if (!declaration) return [];
  const object =
    declaration.kind === "interface" ? resolveObject({ kind: "reference", name: declaration.name }, model) : undefined;
  return referencesIn(object ?? declaration.shape);
}
