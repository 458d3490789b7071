import { worstOf, type ContractChange, type Impact } from "../../generator/typed-client/contract/impact.ts";
import { plainResultNames } from "../../generator/emit/method-text.ts";
import { typeText } from "../../generator/emit/type-text.ts";
import type { Declaration, Method, ObjectShape, Property, RevisionModel, Role, Shape } from "../../generator/model.ts";
import { declarationsByName, resolveAlias, resolveObject } from "../../generator/model/resolve.ts";
import { compareBounds } from "./compare-bounds.ts";
import { compareRules } from "./compare-rules.ts";
import { memberImpacts, optionalImpacts, typeImpacts, type SideImpacts } from "./side-impacts.ts";
import { findWriters, type Messages, type Writers } from "./writers.ts";
import { diffByKey } from "../../generator/internal/diff-by-key.ts";

/** Lists all differences between two revisions: rules and methods first, then declarations, each with its fields. */
export function compareModels(older: RevisionModel, newer: RevisionModel): ContractChange[] {
  return [...compareRules(older.rules, newer.rules), ...compareMessages(older, newer)];
}

/** Lists the differences between methods, then those between declarations. */
export function compareMessages(older: Messages, newer: Messages): ContractChange[] {
  return [...compareMethods(older, newer), ...compareDeclarations(older, newer)];
}

function compareMethods(older: Messages, newer: Messages): ContractChange[] {
  return diffByKey(older.methods, newer.methods, {
    keyOf: ({ name }) => name,
    whole: methodChange,
    compare: (before, after) => [...compareMethod(before, after), ...compareResults(before, after)],
  });
}

/** Describes an added or removed method. Its senders lose a feature; its receivers have nothing left to handle. */
function methodChange(kind: "added" | "removed", { name, kind: what, senders }: Method): ContractChange {
  const impact = (role: Role): Impact => {
    if (kind === "added") return "additive";
    return senders.includes(role) ? "breaking" : "neutral";
  };
  const detail = `${what} of the ${senders.join(" and the ")} ${kind}`;
  return { kind, subject: `method ${name}`, detail, client: impact("client"), server: impact("server") };
}

function compareMethod(older: Method, newer: Method): ContractChange[] {
  const subject = `method ${newer.name}`;
  const facts = [
    { what: "kind", before: older.kind, after: newer.kind, impact: "breaking" },
    { what: "senders", before: older.senders.join(", "), after: newer.senders.join(", "), impact: "breaking" },
    { what: "capability", before: gateText(older), after: gateText(newer), impact: "risky" },
  ] as const;
  return facts.flatMap(({ what, before, after, impact }) => {
    if (before === after) return [];
    const detail = `${what} changed from ${before || "none"} to ${after || "none"}`;
    return [{ kind: "changed", subject, detail, client: impact, server: impact } as const];
  });
}

/** Compares the possible results of a request. The types themselves, also with a new name, are compared as declarations. */
function compareResults(older: Method, newer: Method): ContractChange[] {
  const [before, after] = [resultNames(older), resultNames(newer)];
  const hasLost = before.some((name) => !after.includes(name));
  const hasGained = after.some((name) => !before.includes(name));
  const isRenamed = before.length === 1 && after.length === 1;
  if (isRenamed || (!hasLost && !hasGained)) return [];
  const { writes, reads } = typeImpacts(hasLost, hasGained);
  // The sender of a request reads its result.
  const impact = (role: Role): Impact =>
    worstOf([
      ...(newer.senders.includes(role) ? [reads] : []),
      ...(newer.senders.some((sender) => sender !== role) ? [writes] : []),
    ]);
  const detail = `result changed from ${before.join(" | ") || "none"} to ${after.join(" | ") || "none"}`;
  const subject = `method ${newer.name}`;
  return [{ kind: "changed", subject, detail, client: impact("client"), server: impact("server") }];
}

function resultNames(method: Method): string[] {
  return [...plainResultNames(method), ...method.alternatives.map(({ type }) => type)];
}

function gateText({ gates }: Method): string {
  return Object.values(gates)
    .map(({ side, path }) => `${side} ${path.join(".")}`)
    .join(", ");
}

function compareDeclarations(older: Messages, newer: Messages): ContractChange[] {
  const writers = { older: findWriters(older), newer: findWriters(newer) };
  const methods = new Set([...older.methods, ...newer.methods].map(({ type }) => type));
  return diffByKey(older.declarations, newer.declarations, {
    keyOf: ({ name }) => name,
    whole: typeChange,
    compare: (before, after) => {
      // Unions of all messages and bases are not part of any message themselves.
      if (!writers.older.has(before.name) && !writers.newer.has(after.name)) return [];
      const envelope = methods.has(after.name) ? jsonRpc : nothing;
      return compareDeclaration({ older, newer, before, after, writers, envelope });
    },
  });
}

const jsonRpc: ReadonlySet<string> = new Set(["jsonrpc", "id", "method"]);

const nothing: ReadonlySet<string> = new Set();

/** Describes an added or removed type. It has no effect by itself: the types that use it are compared themselves. */
function typeChange(kind: "added" | "removed", { name }: Declaration): ContractChange {
  return { kind, subject: `type ${name}`, detail: kind, client: "neutral", server: "neutral" };
}

interface Pair {
  readonly older: Messages;
  readonly newer: Messages;
  readonly before: Declaration;
  readonly after: Declaration;
  readonly writers: { readonly older: Writers; readonly newer: Writers };
  /** Members of JSON-RPC. It makes no difference if the schema of a method repeats them. */
  readonly envelope: ReadonlySet<string>;
}

function compareDeclaration(pair: Pair): ContractChange[] {
  const { before, after } = pair;
  const subject = `type ${after.name}`;
  const deprecation = compareDeprecation(subject, before, after);
  return [...deprecation, ...compareShapes(wholeOf(before), wholeOf(after), { subject, isWhole: true }, pair)];
}

/** Returns an interface with everything it inherits, or the target of an alias. */
function wholeOf({ kind, name, shape }: Declaration): Shape {
  return kind === "interface" ? { kind: "reference", name } : shape;
}

interface Position {
  readonly subject: string;
  /** True if the declaration itself is compared, and not a reference to it. */
  readonly isWhole: boolean;
}

/** Compares two types by their permitted values. A new or changed name of a type changes nothing on the wire. */
function compareShapes(older: Shape, newer: Shape, { subject, isWhole }: Position, pair: Pair): ContractChange[] {
  const isSameName = older.kind === "reference" && newer.kind === "reference" && older.name === newer.name;
  // A type with a name in both revisions is compared under that name.
  if (isSameName && !isWhole) return [];
  const before = objectAt(older, pair.older);
  const after = objectAt(newer, pair.newer);
  if (before && after) return compareMembers(before, after, subject, pair);
  const [own, other] = isWhole ? [resolveAlias(older, pair.older), resolveAlias(newer, pair.newer)] : [older, newer];
  const bounds = compareBounds(own, other);
  return [
    ...compareAlternatives(own, other, subject, pair),
    ...(bounds ? [{ kind: "changed", subject, detail: bounds.detail, ...bySide(bounds.impacts, pair) } as const] : []),
  ];
}

function objectAt(shape: Shape, model: Messages): ObjectShape | undefined {
  const target = resolveAlias(shape, model);
  if (target.kind === "anyObject") return { kind: "object", properties: [] };
  return target.kind === "object" || target.kind === "intersection" || target.kind === "omit"
    ? resolveObject(shape, model)
    : undefined;
}

function compareMembers(older: ObjectShape, newer: ObjectShape, subject: string, pair: Pair): ContractChange[] {
  const own = ({ properties }: ObjectShape): Property[] => properties.filter(({ name }) => !pair.envelope.has(name));
  return [
    ...diffByKey(own(older), own(newer), {
      keyOf: ({ name }) => name,
      whole: (kind, property) => memberChange(kind, property, subject, pair),
      compare: (before, after) => compareMember(before, after, subject, pair),
    }),
    ...compareRest(older.index, newer.index, `${subject}.*`, pair),
  ];
}

/** Compares the types of unnamed keys. It is no change if only one revision allows them: objects are open on the wire. */
function compareRest(
  older: Shape | undefined,
  newer: Shape | undefined,
  subject: string,
  pair: Pair,
): ContractChange[] {
  return older && newer ? compareShapes(older, newer, { subject, isWhole: false }, pair) : [];
}

function memberChange(
  kind: "added" | "removed",
  { name, optional }: Property,
  parent: string,
  pair: Pair,
): ContractChange {
  const state = optional ? "optional" : "required";
  const detail = kind === "added" ? `added as ${state}` : `removed, was ${state}`;
  return { kind, subject: `${parent}.${name}`, detail, ...bySide(memberImpacts(kind, optional), pair) };
}

function compareMember(older: Property, newer: Property, parent: string, pair: Pair): ContractChange[] {
  const subject = `${parent}.${newer.name}`;
  const changes = [
    ...compareDeprecation(subject, older, newer),
    ...compareShapes(older.shape, newer.shape, { subject, isWhole: false }, pair),
  ];
  if (older.optional === newer.optional) return changes;
  const detail = newer.optional ? "now optional" : "now required";
  return [...changes, { kind: "changed", subject, detail, ...bySide(optionalImpacts(newer.optional), pair) }];
}

function compareAlternatives(older: Shape, newer: Shape, subject: string, pair: Pair): ContractChange[] {
  const before = alternativesOf(older, pair.older, pair);
  const after = alternativesOf(newer, pair.newer, pair);
  const gone = before.filter((text) => !after.includes(text));
  const fresh = after.filter((text) => !before.includes(text));
  if (gone.length === 0 && fresh.length === 0) return [];
  const detail = `type changed from ${before.join(" | ")} to ${after.join(" | ")}`;
  return [{ kind: "changed", subject, detail, ...bySide(typeImpacts(gone.length > 0, fresh.length > 0), pair) }];
}

/** Returns the members of a union as texts. Names present in only one of the revisions are replaced by their definitions. */
function alternativesOf(shape: Shape, model: Messages, pair: Pair): string[] {
  const expanded = expandStrange(shape, model, pair);
  const members =
    expanded.kind === "union" ? expanded.of.map((member) => expandStrange(member, model, pair)) : [expanded];
  const texts = members.flatMap((member) => (member.kind === "union" ? member.of : [member])).map(plainText);
  return [...new Set(texts)].sort();
}

function expandStrange(shape: Shape, model: Messages, { older, newer }: Pair): Shape {
  const isShared = (name: string): boolean => [older, newer].every((one) => declarationsByName(one).has(name));
  return shape.kind === "reference" && !isShared(shape.name) ? resolveAlias(shape, model) : shape;
}

function plainText(shape: Shape): string {
  const text = typeText(shape).replaceAll(/\/\*[^]*?\*\/|\s+/g, " ");
  return text
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/\bany\b/g, "unknown")
    .trim();
}

function compareDeprecation(
  subject: string,
  older: Pick<Property, "doc">,
  newer: Pick<Property, "doc">,
): ContractChange[] {
  const reason = newer.doc?.deprecated;
  if (reason === undefined || older.doc?.deprecated !== undefined) return [];
  const detail = reason === "" ? "deprecated" : `deprecated: ${reason}`;
  return [{ kind: "changed", subject, detail, client: "risky", server: "risky" }];
}

/** Assigns the impacts to client and server. The same change has different effects on the writer and the reader of a type. */
function bySide(
  { writes, reads }: SideImpacts,
  { after, before, writers }: Pair,
): Pick<ContractChange, "client" | "server"> {
  const own = writers.newer.get(after.name) ?? writers.older.get(before.name) ?? new Set<Role>();
  const impact = (role: Role): Impact => {
    const other = role === "client" ? "server" : "client";
    const seen = [...(own.has(role) ? [writes] : []), ...(own.has(other) ? [reads] : [])];
    return worstOf(seen);
  };
  return { client: impact("client"), server: impact("server") };
}
