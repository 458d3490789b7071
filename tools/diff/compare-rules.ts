import type {
  EmptyCapability,
  ErrorRule,
  ExtensionRules,
  HeaderRule,
  ReservedMeta,
  Rules,
} from "../../generator/model.ts";
import type { ContractChange, Impact } from "../../generator/typed-client/contract/impact.ts";
import { memberImpacts, optionalImpacts, type SideImpacts } from "./side-impacts.ts";
import { diffByKey } from "../../generator/internal/diff-by-key.ts";

/** Lists the differences of what only the prose of two revisions says: lifecycle, batches, error codes, headers and keys of `_meta`. */
export function compareRules(older: Rules, newer: Rules): ContractChange[] {
  return [
    ...compareLifecycles(older, newer),
    ...compareBatches(older, newer),
    ...comparePolling(older, newer),
    ...compareDialects(older, newer),
    ...compareEntries(older.errors, newer.errors, errorEntries),
    ...compareEntries(older.headers, newer.headers, headerEntries),
    ...compareEntries(older.reservedMeta, newer.reservedMeta, metaEntries),
    ...compareEntries(older.emptyCapabilities, newer.emptyCapabilities, capabilityEntries),
  ];
}

function compareLifecycles({ lifecycle: before }: Rules, { lifecycle: after }: Rules): ContractChange[] {
  return before === after ? [] : [ruleChange("lifecycle", `changed from ${before} to ${after}`, bothSides("breaking"))];
}

/** Compares the rules for batches. Receivers must accept them, or senders must not send them any more. */
function compareBatches(older: Rules, newer: Rules): ContractChange[] {
  if (older.batching === newer.batching) return [];
  const detail = newer.batching ? "must be accepted" : "are no longer accepted";
  return [ruleChange("batches", detail, bothSides("breaking"))];
}

function comparePolling(older: Rules, newer: Rules): ContractChange[] {
  if (older.polling === newer.polling) return [];
  const detail = newer.polling
    ? "clients resume streams that the server has closed"
    : "clients no longer resume streams that the server has closed";
  return [ruleChange("streams", detail, newer.polling ? { writes: "risky", reads: "additive" } : bothSides("risky"))];
}

function compareDialects({ jsonSchemaDialect: before }: Rules, { jsonSchemaDialect: after }: Rules): ContractChange[] {
  if (before === after) return [];
  const detail = `of tool schemas without $schema changed from ${before ?? "none"} to ${after ?? "none"}`;
  return [ruleChange("dialect", detail, bothSides("risky"))];
}

function ruleChange(name: string, detail: string, impacts: SideImpacts): ContractChange {
  return toChange("changed", `rule ${name}`, detail, impacts);
}

/** Lists the differences of what only the overlays of two versions of an extension say. */
export function compareExtensionRules(older: ExtensionRules, newer: ExtensionRules): ContractChange[] {
  const text = (value: unknown): string => JSON.stringify(value) ?? "none";
  const facts = [
    { name: "lifecycles", before: older.lifecycles.join(" and "), after: newer.lifecycles.join(" and ") },
    { name: "declared.client", before: older.declared.client, after: newer.declared.client },
    { name: "declared.server", before: older.declared.server, after: newer.declared.server },
    { name: "results", before: text(older.results), after: text(newer.results) },
    { name: "members", before: text(older.members), after: text(newer.members) },
    { name: "provides", before: text(older.provides), after: text(newer.provides) },
  ];
  const changes = facts.filter(({ before, after }) => before !== after);
  return [
    ...changes.map(({ name, before, after }) =>
      ruleChange(name, `changed from ${before ?? "none"} to ${after ?? "none"}`, bothSides("risky")),
    ),
    ...compareEntries(older.headers, newer.headers, headerEntries),
  ];
}

/** Differences of the entries of a list. */
interface Entries<Entry> {
  /** Key of an entry in both revisions. */
  keyOf(entry: Entry): string;
  subject(entry: Entry): string;
  /** Description of an added or removed entry. */
  describe(kind: "added" | "removed", entry: Entry): Difference;
  compare(before: Entry, after: Entry): readonly Difference[];
}

interface Difference {
  readonly detail: string;
  readonly impacts: SideImpacts;
}

function compareEntries<Entry>(
  older: readonly Entry[],
  newer: readonly Entry[],
  { keyOf, subject, describe, compare }: Entries<Entry>,
): ContractChange[] {
  const change = (kind: ContractChange["kind"], entry: Entry, { detail, impacts }: Difference): ContractChange =>
    toChange(kind, subject(entry), detail, impacts);
  return diffByKey(older, newer, {
    keyOf,
    whole: (kind, entry) => change(kind, entry, describe(kind, entry)),
    compare: (before, after) => compare(before, after).map((difference) => change("changed", after, difference)),
  });
}

/** Error codes. Both sides read errors, and which of them sends one is not known. */
const errorEntries: Entries<ErrorRule> = {
  keyOf: ({ name }) => name,
  subject: ({ name }) => `error ${name}`,
  describe: (kind, { code, emitted, status }) => ({
    detail: [
      `${code} ${kind}`,
      ...(emitted ? [] : ["never sent"]),
      ...(status === undefined ? [] : [`HTTP status ${status}`]),
    ].join(", "),
    impacts: bothSides(kind === "added" ? "additive" : "risky"),
  }),
  compare: (before, after) => [
    ...(before.code === after.code ? [] : [changed("code", before.code, after.code, "breaking")]),
    ...(before.emitted === after.emitted
      ? []
      : [
          after.emitted
            ? { detail: `${after.code} may be sent now`, impacts: bothSides("additive") }
            : { detail: `${after.code} is only accepted, and no longer sent`, impacts: bothSides("risky") },
        ]),
    ...(before.status === after.status ? [] : [changed("HTTP status", before.status, after.status, "risky")]),
  ],
};

/** Headers. Clients send them, servers read them. */
const headerEntries: Entries<HeaderRule> = {
  keyOf: ({ name, source }) => `${name} ${source}`,
  subject: ({ name }) => `header ${name}`,
  describe: (kind, { source, methods, required }) => ({
    detail: `${memberDetail(kind, required)}, with ${valueText(source)}${methods === undefined ? "" : ` of ${methods.join(", ")}`}`,
    impacts: memberImpacts(kind, !required),
  }),
  compare: (before, after) => [
    ...compareRequired(before, after),
    ...(methodsText(before) === methodsText(after)
      ? []
      : [changed("messages", methodsText(before), methodsText(after), "breaking")]),
  ],
};

/** Keys of `_meta`. Requests come from the client in nearly all cases; other messages come from the server. */
const metaEntries: Entries<ReservedMeta> = {
  keyOf: ({ key, on }) => `${key} ${on}`,
  subject: ({ key }) => `key ${key}`,
  describe: (kind, { on, required }) => ({
    detail: `${memberDetail(kind, required)} in _meta of ${on === "any" ? "all messages" : `${on}s`}`,
    impacts: placed(on, memberImpacts(kind, !required)),
  }),
  compare: (before, after) => [
    ...compareRequired(before, after).map((one) => ({ ...one, impacts: placed(after.on, one.impacts) })),
    ...(before.type === after.type ? [] : [changed("type", before.type, after.type, "breaking")]),
  ],
};

const capabilityEntries: Entries<EmptyCapability> = {
  keyOf: ({ side, path }) => `${side} ${path.join(".")}`,
  subject: ({ path }) => `capability ${path.join(".")}`,
  describe: (kind, { side, means }) => ({
    detail: `an empty object of the ${side} ${kind === "added" ? "means" : "no longer means"} ${means}`,
    impacts: bothSides(kind === "added" ? "additive" : "risky"),
  }),
  compare: (before, after) =>
    before.means === after.means ? [] : [changed("meaning of an empty object", before.means, after.means, "breaking")],
};

function compareRequired(before: { required: boolean }, after: { required: boolean }): Difference[] {
  if (before.required === after.required) return [];
  return [{ detail: after.required ? "now required" : "now optional", impacts: optionalImpacts(!after.required) }];
}

function memberDetail(kind: "added" | "removed", required: boolean): string {
  const state = required ? "required" : "optional";
  return kind === "added" ? `added as ${state}` : `removed, was ${state}`;
}

/** Returns the value of a header: a path into the message, or the session, the revision or the method. */
function valueText(source: string): string {
  return source.includes(".") ? source : `the ${source}`;
}

function methodsText({ methods }: HeaderRule): string {
  return methods?.join(", ") ?? "all messages after the first";
}

function changed(what: string, before: unknown, after: unknown, impact: Impact): Difference {
  return { detail: `${what} changed from ${before ?? "none"} to ${after ?? "none"}`, impacts: bothSides(impact) };
}

function bothSides(impact: Impact): SideImpacts {
  return { writes: impact, reads: impact };
}

/** Turns the impacts around for what the server writes. */
function placed(on: ReservedMeta["on"], { writes, reads }: SideImpacts): SideImpacts {
  return on === "request" ? { writes, reads } : { writes: reads, reads: writes };
}

/** Creates a change whose writer is the client. */
function toChange(
  kind: ContractChange["kind"],
  subject: string,
  detail: string,
  { writes, reads }: SideImpacts,
): ContractChange {
  return { kind, subject, detail, client: writes, server: reads };
}
