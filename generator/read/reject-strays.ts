import { hasCapability } from "../model/capabilities.ts";
import type { Declaration, Method } from "../model.ts";
import type { DeclarationOverlay, Overlay } from "../model/overlay.ts";
import { resolveObject } from "../model/resolve.ts";
import { SpecError } from "../internal/spec-error.ts";

/** Declarations and methods the entries of an overlay may name. */
export interface Named {
  readonly declarations: readonly Declaration[];
  readonly methods: readonly Method[];
}

/** Entries that only become tables. Extensions have some of them. */
export type TableOverlay = DeclarationOverlay & Partial<Pick<Overlay, "batching" | "emptyCapabilities">>;

/**
 * Checks the entries that only become tables.
 *
 * @throws {SpecError} when an entry names a method, type or capability missing in the revision.
 */
export function rejectStrays(overlay: TableOverlay, named: Named, path: string): void {
  const [stray] = [
    ...strayMethods(overlay, named),
    ...strayTypes(overlay, named),
    ...strayCapabilities(overlay, named),
  ];
  if (stray !== undefined) throw new SpecError({ file: path, text: `${stray}, which this revision does not have` });
}

function strayMethods({ batching, headers = [], durations = [], safe }: TableOverlay, { methods }: Named): string[] {
  const known = new Set(methods.map(({ name }) => name));
  const uses = [
    ...(batching?.never ?? []).map((method) => ({ method, entry: "batching" })),
    ...durations.flatMap(({ duration, methods: users }) =>
      users.map((method) => ({ method, entry: `the duration ${duration}` })),
    ),
    ...(safe?.methods ?? []).map((method) => ({ method, entry: "safe" })),
    ...headers.flatMap(({ name, methods: users = [] }) =>
      users.map((method) => ({ method, entry: `the header ${name}` })),
    ),
  ];
  return uses.filter(({ method }) => !known.has(method)).map(({ method, entry }) => `${entry} refers to \`${method}\``);
}

function strayTypes({ reservedMeta = [], constraints = [] }: TableOverlay, { declarations }: Named): string[] {
  const known = new Set(declarations.map(({ name }) => name));
  const metas = reservedMeta.filter(({ type }) => /^[A-Z]/.test(type) && !known.has(type));
  const properties = constraints.flatMap(({ type, properties: names }) => {
    const object = resolveObject({ kind: "reference", name: type }, { declarations });
    return names
      .filter((name) => !object?.properties.some((property) => property.name === name))
      .map((name) => `${type}.${name}`);
  });
  return [
    ...metas.map(({ key, type }) => `the _meta key ${key} refers to \`${type}\``),
    ...properties.map((property) => `a constraint refers to \`${property}\``),
  ];
}

function strayCapabilities({ emptyCapabilities = [] }: TableOverlay, named: Named): string[] {
  const paths = emptyCapabilities.map(({ side, path, means }) => ({ side, path: [...path, means] }));
  const strays = paths.filter((gate) => !hasCapability(named, gate));
  return strays.map(({ side, path }) => `emptyCapabilities refers to \`${path.join(".")}\` of the ${side}`);
}
