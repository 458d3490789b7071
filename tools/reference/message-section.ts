import type { Conversions } from "../../generator/conversions/conversions.ts";
import { plainResultNames } from "../../generator/emit/method-text.ts";
import type { Duration, HeaderRule, Method, Shape } from "../../generator/model.ts";
import { changeList, type RevisionChanges } from "./changes.ts";
import { conversionTable } from "./conversion-table.ts";
import { docProse, fieldTable } from "./fields.ts";
import { ownTypes, type Layout } from "./layout.ts";
import { anchorOf, blocks, code, table, withTitle } from "./markdown.ts";
import { typeLink, type LinkOf } from "./type-links.ts";
import { runsOf, spanText, type Version, type Versioned } from "./versions.ts";
import { capitalize } from "../../generator/internal/text.ts";

/** Content for sections of messages and types. */
export interface SectionInput {
  readonly layout: Layout;
  readonly linkOf: LinkOf;
  /** Changes between revisions, oldest first. Empty for an extension. */
  readonly changes: readonly RevisionChanges[];
  /** Conversions of all revisions, oldest first. Empty for an extension. */
  readonly conversions: readonly Conversions[];
  /** Rules for HTTP headers of a version. */
  readonly headersOf: (version: Version) => readonly HeaderRule[];
}

/** Writes the section about a message: its facts and fields at each revision, its changes and its conversions. */
export function messageSection(name: string, input: SectionInput): string {
  const { layout, changes, conversions } = input;
  const found = methodsNamed(name, layout.all);
  const doc = found.at(-1)?.value.doc;
  const types = [...new Set(found.flatMap(({ value }) => ownTypes(value)))];
  const missing = layout.all.filter((version) => !found.some((each) => each.version === version));
  return blocks([
    `## ${name}`,
    docProse(doc),
    factTexts(found, input),
    "### Parameters",
    paramsText(found, input),
    ...(found.some(({ value }) => value.result) ? ["### Result", resultText(found, input)] : []),
    withTitle("### Changes", changeList(changes, { method: name, types })),
    withTitle(
      "### Conversions",
      blocks([
        conversionTable(name, conversions, layout.all),
        missing.length === 0 ? "" : `Not available at ${spanText(missing, layout.all)}: it is not sent there.`,
      ]),
    ),
  ]);
}

/** Returns a method at each of its versions, oldest first. */
export function methodsNamed(name: string, all: readonly Version[]): Versioned<Method>[] {
  return all.flatMap((version) => {
    const value = version.methods.find((method) => method.name === name);
    return value ? [{ version, value }] : [];
  });
}

/** Returns the kind of a method in words. */
export function kindText({ kind }: Method): string {
  return kind === "embedded" ? "input request" : kind;
}

/** Returns the senders of a method in words. */
export function senderText({ senders }: Method): string {
  return senders.length > 1 ? "both" : senders.join(", ");
}

/** Lists the messages of a page, with links to their sections. */
export function messageTable(names: readonly string[], { layout: { all } }: SectionInput): string {
  const rows = names.flatMap((name) => {
    const found = methodsNamed(name, all);
    const newest = found.at(-1)?.value;
    const versions = found.map(({ version }) => version);
    const link = `[${name}](#${anchorOf(name)})`;
    return newest ? [[link, kindText(newest), senderText(newest), spanText(versions, all)]] : [];
  });
  return table(["message", "kind", "sent by", "revisions"], rows);
}

/** Writes the facts about a message: a list of unchanged ones, and a table of facts changed by a revision. */
function factTexts(found: readonly Versioned<Method>[], input: SectionInput): string {
  const { layout, linkOf } = input;
  const { all } = layout;
  const runs = runsOf(
    found.map(({ version, value }) => ({ version, value: factsOf(value, linkOf) })),
    all,
    (cells) => cells.join("|"),
  );
  const isSame = facts.map((_, column) => new Set(runs.map(({ value }) => value[column])).size === 1);
  const pick = (cells: readonly string[]): string[] => cells.filter((_, column) => !isSame[column]);
  const same = facts.flatMap((fact, column) => {
    const text = runs[0]?.value[column] ?? "";
    return isSame[column] && text !== "" ? [`- ${capitalize(fact)}: ${text}`] : [];
  });
  const rows = runs.map(({ value, versions }) => [spanText(versions, all), ...pick(value)]);
  const list = [...same, ...ruleLines(found, input)].join("\n");
  return blocks([list, isSame.every(Boolean) ? "" : table(["revisions", ...pick(facts)], rows)]);
}

/** Names of the facts, in the order of {@link factsOf}. */
const facts: readonly string[] = [
  "kind",
  "sent by",
  "needs the capability",
  "type",
  "parameters",
  "result",
  "name in code",
];

function factsOf(method: Method, linkOf: LinkOf): string[] {
  const { params, alternatives, type, handler } = method;
  const inline = params ? "inline" : "none";
  return [
    kindText(method),
    senderText(method),
    gateText(method),
    typeLink(type, linkOf),
    params?.shape.kind === "reference" ? typeLink(params.shape.name, linkOf) : inline,
    [
      ...plainResultNames(method).map((name) => typeLink(name, linkOf)),
      ...alternatives.map((each) => `${typeLink(each.type, linkOf)} if the parameters have ${code(each.whenParam)}`),
    ].join(" or "),
    code(handler),
  ];
}

function gateText({ gates, needs }: Method): string {
  const all = [gates.client, gates.server, needs].flatMap((gate) =>
    gate ? [`${code(gate.path.join("."))} of the ${gate.side}`] : [],
  );
  return [...new Set(all)].join(", ");
}

/** Lists the less common rules: most messages have none of them. */
function ruleLines(found: readonly Versioned<Method>[], { layout: { all }, headersOf }: SectionInput): string[] {
  const rules = found.map(({ version, value }) => ({ version, value: rulesOf(value, headersOf(version)) }));
  const texts = new Set(rules.flatMap(({ value }) => value));
  return [...texts].map((text) => {
    const having = rules.filter(({ value }) => value.includes(text)).map(({ version }) => version);
    return having.length === found.length ? `- ${text}.` : `- ${text} (${spanText(having, all)}).`;
  });
}

function rulesOf({ name, aliases = [], safe, duration, params }: Method, headers: readonly HeaderRule[]): string[] {
  return [
    ...aliases.map((alias) => `Peers also send it as ${code(alias)}`),
    ...(params?.optional ? ["The parameters may be omitted"] : []),
    ...(duration ? [durations[duration]] : []),
    ...(safe ? ["It changes nothing, so that it may be sent again"] : []),
    ...headers
      .filter(({ methods }) => methods?.includes(name))
      .map((header) => `Over HTTP, the header ${code(header.name)} repeats ${code(header.source)}`),
  ];
}

const durations: { readonly [duration in Duration]: string } = {
  initialize: "The response takes as long as the handshake",
  work: "The receiver computes the response, which takes time",
  wait: "The response may wait for a user or for another system",
  task: "The response comes when a task ends",
  endless: "The response comes when one side ends the request",
};

function paramsText(found: readonly Versioned<Method>[], { layout: { all }, linkOf }: SectionInput): string {
  const shapes = found.flatMap(({ version, value: { params } }) => (params ? [{ version, value: params.shape }] : []));
  if (shapes.length === 0) return "None.";
  return fieldTable({ shapes, all, linkOf }) || "Any object.";
}

/** Writes the fields of the result of a method. Results shared by several methods have a section of their own. */
function resultText(found: readonly Versioned<Method>[], { layout, linkOf }: SectionInput): string {
  const own = found.flatMap(({ version, value }) => {
    const [name] = plainResultNames(value);
    return name === undefined ? [] : [{ version, name, value: { kind: "reference", name } satisfies Shape }];
  });
  const isShared = own.every(({ name }) => !layout.owners.has(name));
  const names = [...new Set(own.map(({ name }) => name))];
  if (isShared) return `See ${names.map((name) => typeLink(name, linkOf)).join(", ")}.`;
  return fieldTable({ shapes: own, all: layout.all, linkOf }) || "Any object.";
}
