import type { Declaration, Role } from "../model.ts";
import type { ConstraintOverlay, MethodOverlay, Overlay } from "../model/overlay.ts";
import { applyOverlay } from "../read/apply-overlay.ts";
import { hasCapability } from "../model/capabilities.ts";
import { declarationsByName, resolveObject } from "../model/resolve.ts";
import { examineMethods } from "../read/methods.ts";
import type { Schema } from "../read/schema.ts";
import { SpecError } from "../internal/spec-error.ts";
import { withTags } from "../read/tags.ts";

/** A proposed overlay for a schema without one. */
export interface Proposal {
  readonly overlay: Overlay;
  /** Entries of the older overlay for a type or method missing from this schema. */
  readonly dropped: readonly string[];
}

/** Adopts every entry of an older overlay if it is still valid for a schema, and lists the others. */
export function proposeOverlay(schema: Schema, base: Overlay): Proposal {
  const scope = createScope(schema, base);
  const { $schema, polling, jsonSchemaDialect, mergeMeta, resultTypes, removed, conversions } = base;
  const merged = keep(scope, mergeMeta?.methods, mergeRule(scope));
  const lists = keepTypeRules(scope, base);
  const headers = keepHeaders(scope, base);
  const durations = keepDurations(scope, base);
  const safe = keepNames(scope, base.safe?.methods, "safe");
  const reserved = keep(scope, base.reservedMeta, {
    section: "reservedMeta",
    label: ({ key }) => key,
    fits: ({ type }) => isType(scope, type),
  });
  const empty = keep(scope, base.emptyCapabilities, {
    section: "emptyCapabilities",
    label: ({ path }) => path.join("."),
    fits: ({ side, path, means }) => hasCapability(scope, { side, path: [...path, means] }),
  });
  const overlay: Overlay = {
    ...($schema !== undefined && { $schema }),
    lifecycle: { ...base.lifecycle, kind: scope.methods.has("initialize") ? "handshake" : "per-request" },
    batching: keepBatching(scope, base),
    ...(polling && { polling }),
    ...(jsonSchemaDialect && { jsonSchemaDialect }),
    methods: keepMethods(scope, base),
    ...(durations.length > 0 && { durations }),
    ...(base.safe && safe.length > 0 && { safe: { ...base.safe, methods: safe } }),
    ...(mergeMeta && merged.length > 0 && { mergeMeta: { ...mergeMeta, methods: merged } }),
    ...(lists.tags.length > 0 && { tags: lists.tags }),
    ...(lists.integers.length > 0 && { integers: lists.integers }),
    ...(lists.constraints.length > 0 && { constraints: lists.constraints }),
    ...(lists.openObjects.length > 0 && { openObjects: lists.openObjects }),
    ...(lists.tolerances.length > 0 && { tolerances: lists.tolerances }),
    ...(lists.nulls.length > 0 && { nulls: lists.nulls }),
    ...(lists.minimums.length > 0 && { minimums: lists.minimums }),
    errors: keepErrors(scope, schema, base),
    ...(headers.length > 0 && { headers }),
    ...(reserved.length > 0 && { reservedMeta: reserved }),
    ...(resultTypes && hasProperty(scope, "resultType") && { resultTypes }),
    ...(empty.length > 0 && { emptyCapabilities: empty }),
    ...(removed && { removed }),
    // Conversions describe newer revisions, not this one.
    ...(conversions && { conversions }),
  };
  if (resultTypes && !overlay.resultTypes) scope.dropped.push("resultTypes");
  return { overlay, dropped: scope.dropped };
}

/** Declarations and methods of the schema, to check entries against. */
interface Scope {
  /** Smallest possible overlay. Rules about types are tried on top of it, one by one. */
  readonly bare: Overlay;
  readonly declarations: readonly Declaration[];
  readonly methods: ReadonlySet<string>;
  readonly inUnions: ReadonlySet<string>;
  readonly dropped: string[];
}

function createScope(schema: Schema, { lifecycle, batching }: Overlay): Scope {
  const declarations = withTags(schema.declarations);
  const bare: Overlay = { lifecycle, batching, methods: {}, errors: [] };
  const { methods } = examineMethods(declarations, bare, "");
  const inUnions = methods.filter(({ kind }) => kind !== "embedded");
  return {
    bare,
    declarations,
    methods: new Set(methods.map(({ name }) => name)),
    inUnions: new Set(inUnions.map(({ name }) => name)),
    dropped: [],
  };
}

/** Check of the entries of a section, and their labels for the list of dropped entries. */
interface Rule<Entry> {
  readonly section: string;
  readonly label: (entry: Entry) => string;
  readonly fits: (entry: Entry) => boolean;
}

function keep<Entry>(scope: Scope, entries: readonly Entry[] | undefined, rule: Rule<Entry>): readonly Entry[] {
  return (entries ?? []).filter((entry) => {
    if (rule.fits(entry)) return true;
    scope.dropped.push(`${rule.section}: ${rule.label(entry)}`);
    return false;
  });
}

function keepNames(scope: Scope, names: readonly string[] | undefined, section: string): readonly string[] {
  return keep(scope, names, { section, label: (name) => name, fits: (name) => scope.methods.has(name) });
}

function keepBatching(scope: Scope, { batching: { never, ...batching } }: Overlay): Overlay["batching"] {
  const kept = keepNames(scope, never, "batching.never");
  return { ...batching, ...(kept.length > 0 && { never: kept }) };
}

function keepDurations(scope: Scope, { durations = [] }: Overlay): NonNullable<Overlay["durations"]> {
  return durations.flatMap((entry) => {
    const methods = keepNames(scope, entry.methods, `durations (${entry.duration})`);
    return methods.length > 0 ? [{ ...entry, methods }] : [];
  });
}

function keepMethods(scope: Scope, { methods }: Overlay): Overlay["methods"] {
  const known = keepNames(scope, Object.keys(methods), "methods");
  return Object.fromEntries(
    known.flatMap((name) => {
      const facts = methods[name];
      const kept = facts && keepFacts(scope, name, facts);
      return kept && Object.keys(kept).length > 1 ? [[name, kept]] : [];
    }),
  );
}

function keepFacts(
  scope: Scope,
  name: string,
  { clause, kind, gate, result, aliases, alternatives }: MethodOverlay,
): MethodOverlay {
  const section = `methods["${name}"]`;
  const hasKind = kind !== undefined && !scope.inUnions.has(name);
  const sides = gate?.side === undefined ? roles : [gate.side];
  const hasGate =
    gate === null || (gate !== undefined && sides.some((side) => hasCapability(scope, { ...gate, side })));
  const hasResult = result !== undefined && isType(scope, result);
  if (kind !== undefined && !hasKind) scope.dropped.push(`${section}.kind: now part of a role union`);
  if (gate && !hasGate) scope.dropped.push(`${section}.gate: ${sides.join(" or ")} capability ${gate.path.join(".")}`);
  if (result !== undefined && !hasResult) scope.dropped.push(`${section}.result: ${result}`);
  const others = keep(scope, alternatives, {
    section: `${section}.alternatives`,
    label: ({ type }) => type,
    fits: ({ type }) => isType(scope, type),
  });
  return {
    clause,
    ...(hasKind && { kind }),
    ...(hasGate && { gate }),
    ...(hasResult && { result }),
    ...(aliases && { aliases }),
    ...(others.length > 0 && { alternatives: others }),
  };
}

const roles: readonly Role[] = ["client", "server"];

type TypeRules = Required<
  Pick<Overlay, "tags" | "integers" | "openObjects" | "constraints" | "tolerances" | "nulls" | "minimums">
>;

function keepTypeRules(
  scope: Scope,
  { tags, integers, openObjects, constraints, tolerances, nulls, minimums }: Overlay,
): TypeRules {
  return {
    tags: keep(scope, tags, {
      section: "tags",
      label: ({ of }) => of.join(" | "),
      fits: (rule) => applies(scope, { tags: [rule] }),
    }),
    integers: keep(scope, integers, {
      section: "integers",
      label: ({ at }) => at,
      fits: (rule) => applies(scope, { integers: [rule] }),
    }),
    openObjects: keep(scope, openObjects, {
      section: "openObjects",
      label: ({ at }) => at,
      fits: (rule) => applies(scope, { openObjects: [rule] }),
    }),
    constraints: keep(scope, constraints, {
      section: "constraints",
      label: ({ type, properties }) => `${type} (${properties.join(", ")})`,
      fits: (rule) => isConstraintOf(scope, rule),
    }),
    nulls: keep(scope, nulls, {
      section: "nulls",
      label: ({ at }) => at,
      fits: (rule) => applies(scope, { nulls: [rule] }),
    }),
    minimums: keep(scope, minimums, {
      section: "minimums",
      label: ({ at }) => at,
      fits: (rule) => applies(scope, { minimums: [rule] }),
    }),
    tolerances: keep(scope, tolerances, {
      section: "tolerances",
      label: ({ at }) => at,
      fits: (rule) => applies(scope, { tolerances: [rule] }),
    }),
  };
}

function mergeRule(scope: Scope): Rule<string> {
  const { clause } = scope.bare.lifecycle;
  return {
    section: "mergeMeta",
    label: (method) => method,
    fits: (method) => applies(scope, { mergeMeta: { clause, methods: [method] } }),
  };
}

/** Updates the errors from the schema's constants: adopts their values, and leaves out the names of removed constants. */
function keepErrors(scope: Scope, { constants }: Schema, { errors }: Overlay): Overlay["errors"] {
  return errors.map((error) => {
    const { constant, ...rule } = error;
    if (constant === undefined) return error;
    const value = constants.find(({ name }) => name === constant)?.value;
    if (typeof value === "number") return { ...error, code: value };
    scope.dropped.push(`errors: the constant ${constant} of ${rule.name}`);
    return rule;
  });
}

function keepHeaders(scope: Scope, { headers = [] }: Overlay): Required<Overlay>["headers"] {
  return headers.flatMap((header) => {
    const { methods } = header;
    if (!methods) return [header];
    const kept = keepNames(scope, methods, `headers: ${header.name}`);
    return kept.length === 0 ? [] : [{ ...header, methods: kept }];
  });
}

/** True if the reader accepts a rule. Only the reader knows the requirements of each kind of rule. */
function applies({ bare, declarations }: Scope, rule: Partial<Overlay>): boolean {
  try {
    applyOverlay(declarations, { ...bare, ...rule }, "");
    return true;
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}

/** True if the schema has the type and all properties of a constraint. A constraint is checked only after it was applied. */
function isConstraintOf({ declarations }: Scope, { type, properties }: ConstraintOverlay): boolean {
  if (!declarationsByName({ declarations }).has(type)) return false;
  const object = resolveObject({ kind: "reference", name: type }, { declarations });
  return properties.every((name) => object?.properties.some((property) => property.name === name));
}

/** True if the schema has a type. Keywords such as `string` need no declaration. */
function isType({ declarations }: Scope, type: string): boolean {
  return !/^[A-Z]/.test(type) || declarations.some(({ name }) => name === type);
}

function hasProperty({ declarations }: Scope, key: string): boolean {
  return declarations.some(({ shape }) => shape.kind === "object" && shape.properties.some(({ name }) => name === key));
}
