import { readLosses } from "../../generator/conversions/conversions.ts";
import { capabilitiesOf } from "../../generator/model/capabilities.ts";
import type { RevisionModel, Role } from "../../generator/model.ts";
import { sortChanges } from "../diff/report/text.ts";
import { readSubject, type RevisionChanges } from "./changes.ts";
import { effectOf } from "./conversion-table.ts";
import { blocks, code, notice, prose, table, withTitle } from "./markdown.ts";
import { typeLink, type LinkOf } from "./type-links.ts";

/** Content for the page about a revision. */
export interface RevisionInput {
  readonly model: RevisionModel;
  /** All revisions, oldest first. */
  readonly models: readonly RevisionModel[];
  /** Changes since the revision before; absent for the first. */
  readonly changes?: RevisionChanges | undefined;
  readonly linkOf: LinkOf;
  /** Returns the address of the section about a method. */
  readonly linkOfMethod: (name: string) => string;
}

/** Returns the file of the page about a revision. */
export function revisionFile({ id }: RevisionModel): string {
  return `${id}.md`;
}

/** Writes the page about a revision: its rules, its changes, and what newer peers cannot express in it. */
export function revisionPage(input: RevisionInput): string {
  const { model, changes, models } = input;
  const losses = lossTable(input);
  return blocks([
    `# Revision ${model.id}`,
    notice,
    `A ${model.status} revision with ${model.methods.length} methods and ${model.declarations.length} types. Its types, checks and tables are the entry ${code(`mcp-server-runtime/${model.id}`)}.`,
    "## Rules",
    ruleList(model),
    "### Capabilities",
    capabilityTable(model),
    "### Errors",
    errorTable(model),
    withTitle("### HTTP headers", headerTable(model)),
    withTitle("### Reserved keys of \\_meta", metaTable(input)),
    ...(changes ? changeParts(changes, input) : ["## Changes", "The first revision."]),
    `## Losses`,
    models.at(-1) === model
      ? "None: it is the newest revision."
      : "What newer revisions can express and this one cannot. Conversions without a loss are listed at each message.",
    losses,
  ]);
}

function ruleList({ rules }: RevisionModel): string {
  const { known, absentMeans } = rules.resultTypes ?? { known: [], absentMeans: "" };
  const lines = [
    rules.lifecycle === "handshake"
      ? "A connection opens with `initialize`."
      : "There is no handshake: each request carries the revision and the capabilities of the client.",
    rules.batching
      ? `Batches are accepted${rules.neverBatched.length > 0 ? `, without ${rules.neverBatched.map(code).join(", ")}` : ""}.`
      : "There are no batches.",
    ...(rules.polling ? ["Clients resume a stream that the server has closed."] : []),
    ...(rules.jsonSchemaDialect === undefined
      ? []
      : [`Schemas of tools that name no dialect have ${code(rules.jsonSchemaDialect)}.`]),
    ...(known.length === 0
      ? []
      : [`${code("resultType")} is ${known.map(code).join(" or ")}; without it, ${code(absentMeans)} is assumed.`]),
    ...rules.emptyCapabilities.map(
      ({ side, path, means }) => `${code(`${path.join(".")}: {}`)} of the ${side} means ${code(means)}.`,
    ),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

const sides: readonly Role[] = ["client", "server"];

function capabilityTable(model: RevisionModel): string {
  return table(
    ["side", "capabilities"],
    sides.map((side) => [side, capabilitiesOf(side, model).map(code).join(", ")]),
  );
}

function errorTable({ rules }: RevisionModel): string {
  return table(
    ["error", "code", "HTTP status", "sent"],
    rules.errors.map(({ name, code: number, status, emitted }) => [
      code(name),
      String(number),
      status === undefined ? "" : String(status),
      emitted ? "yes" : "only accepted",
    ]),
  );
}

function headerTable({ rules }: RevisionModel): string {
  return table(
    ["header", "value", "required", "messages"],
    rules.headers.map(({ name, source, required, methods }) => [
      code(name),
      code(source),
      required ? "yes" : "no",
      methods ? methods.map(code).join(", ") : "all after the first",
    ]),
  );
}

function metaTable({ model, linkOf }: RevisionInput): string {
  return table(
    ["key", "in", "type", "required"],
    model.rules.reservedMeta.map(({ key, on, type, required }) => [
      code(key),
      on === "any" ? "any message" : on,
      typeLink(type, linkOf),
      required ? "yes" : "no",
    ]),
  );
}

function changeParts({ older, newer, changes }: RevisionChanges, input: RevisionInput): string[] {
  const isType = (change: (typeof changes)[number]): boolean => {
    const { kind, name, type } = readSubject(change);
    return kind === "type" && name === type && change.kind !== "changed";
  };
  const typesOf = (kind: string): string[] =>
    changes.filter((change) => isType(change) && change.kind === kind).map((change) => readSubject(change).name);
  const rows = sortChanges(changes.filter((change) => !isType(change))).map((change) => [
    subjectLink(change, input),
    prose(change.detail),
    change.client,
    change.server,
  ]);
  const list = (title: string, names: readonly string[]): string =>
    names.length === 0 ? "" : `${title}: ${names.map((name) => typeLink(name, input.linkOf)).join(", ")}.`;
  return [
    `## Changes since ${older.id}`,
    `The last columns say what a change means for the authors of clients and of servers that go from ${older.id} to ${newer.id}.`,
    table(["what", "how", "client", "server"], rows),
    list("New types", typesOf("added")),
    list("Removed types", typesOf("removed")),
  ];
}

function subjectLink(
  change: RevisionChanges["changes"][number],
  { linkOf, linkOfMethod }: Pick<RevisionInput, "linkOf" | "linkOfMethod">,
): string {
  const { kind, name, type } = readSubject(change);
  if (kind !== "method" && kind !== "type") return `${kind} ${code(name)}`;
  const link = kind === "method" ? linkOfMethod(name) : linkOf(type);
  return link === undefined ? code(name) : `[${code(name)}](${link})`;
}

function lossTable({ model, models, linkOf, linkOfMethod }: RevisionInput): string {
  const rows = readLosses(models, model).map(({ type, member, rule, since, reason }) => {
    const what = code(member === undefined ? type : `${type}.${member}`);
    const link = rule === "unavailable" ? linkOfMethod(type) : linkOf(type);
    const how = rule === "unavailable" ? effectOf({ rule }) : `${effectOf({ rule })} ${prose(reason)}`;
    return [link === undefined ? what : `[${what}](${link})`, since, how];
  });
  return table(["what", "since", "how"], rows);
}
