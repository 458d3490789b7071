import type { Declaration, ExtensionRules, RevisionModel, Sender, Shape } from "../../generator/model.ts";
import { declarationsByName, resolveObject } from "../../generator/model/resolve.ts";
import { referencesIn } from "../../generator/model/shapes.ts";

/** Senders that write values of a declaration into messages, by the declaration's name. */
export type Writers = ReadonlyMap<string, ReadonlySet<Sender>>;

/** Receivers of each sender's messages. */
const receivers: Readonly<Record<Sender, Sender>> = { client: "server", server: "client", view: "host", host: "view" };

/** Messages of a revision, or of an extension together with its core. */
export interface Messages extends Pick<RevisionModel, "declarations" | "methods"> {
  /** Types by which the sides declare an extension. */
  readonly declared?: ExtensionRules["declared"];
}

/** Finds the writers of every declaration. The sender of a method writes its params; the other side writes the results. */
export function findWriters(model: Messages): Writers {
  const writers = new Map<string, Set<Sender>>();
  for (const role of ["client", "server"] as const) {
    const type = model.declared?.[role];
    if (type !== undefined) mark(writers, [type], role, model);
  }
  for (const { senders, params, result, alternatives, type, kind } of model.methods) {
    // An embedded request is part of a result. The side that would receive it as a message writes no part of it.
    for (const sender of senders) {
      const asked = kind === "embedded" ? "server" : sender;
      const responder = kind === "embedded" ? "client" : receivers[sender];
      mark(writers, [type, ...(params ? referencesIn(params.shape) : [])], asked, model);
      const results: readonly Shape[] = result ? [result] : [];
      mark(writers, [...results.flatMap(referencesIn), ...alternatives.map((one) => one.type)], responder, model);
    }
  }
  return writers;
}

/** Marks all declarations reachable from some names as written by a sender. */
function mark(writers: Map<string, Set<Sender>>, names: readonly string[], sender: Sender, model: Messages): void {
  const declared = declarationsByName(model);
  const reached = new Set(names);
  for (const name of reached) {
    const senders = writers.get(name) ?? new Set<Sender>();
    writers.set(name, senders.add(sender));
    for (const next of partsOf(declared.get(name), model)) reached.add(next);
  }
}

/** Names to which a declaration refers. Inherited members count; the base declarations themselves do not. */
function partsOf(declaration: Declaration | undefined, model: Messages): string[] {
  if (!declaration) return [];
  const object =
    declaration.kind === "interface" ? resolveObject({ kind: "reference", name: declaration.name }, model) : undefined;
  return referencesIn(object ?? declaration.shape);
}
