import { tableSpecs } from "../../emit/method-text.ts";
import { hasChangesAmong, hasExtensionAmong, type LayerChoices, type Offering } from "./choices.ts";

/** Parts of the protocol that the program never meets: first words of capabilities, such as `tasks` or `sampling`. */
export function areasLeftOut({ offers, client }: LayerChoices): ReadonlySet<string> {
  if (client) return new Set();
  const left = Object.entries(areas).filter(([offering]) => !offers.some((offered) => offered === offering));
  const isCompletable = offers.includes("resources") || offers.includes("prompts");
  return new Set([
    ...left.flatMap(([, names]) => names),
    ...(isCompletable ? [] : ["completions"]),
    ...(hasExtensionAmong(offers) ? [] : ["extensions"]),
    "experimental",
  ]);
}

/** Rows that are never looked up: messages that are sent without a check, or only by programs that send requests of their own. */
function rowsNotLookedUp({ offers, client }: LayerChoices): readonly string[] {
  if (client) return [];
  return [
    "serverNotifications notifications/cancelled",
    ...(offers.includes("tasks") ? [] : ["serverNotifications notifications/progress"]),
    ...(hasChangesAmong(offers) ? [] : news),
    ...(offers.includes("questions") ? [] : ["serverRequests ping", "clientNotifications notifications/progress"]),
  ];
}

/** Methods that announce or subscribe to changes. */
const news = [
  "serverNotifications notifications/tools/list_changed",
  "clientRequests subscriptions/listen",
  "serverNotifications notifications/subscriptions/acknowledged",
];

const questionAreas = ["sampling", "elicitation", "roots"] as const;

const areas: { readonly [Name in Exclude<Offering, "tools">]: readonly string[] } = {
  resources: ["resources"],
  prompts: ["prompts"],
  changes: [],
  questions: questionAreas,
  tasks: ["tasks"],
  skills: [],
  ui: [],
};

/** Removes the rows that the program never meets, and the types that only stubs need. */
export function trimMethods(source: string, choices: LayerChoices): string {
  const leftOut = areasLeftOut(choices);
  const isLeftOut = (table: string, { area, method }: Row): boolean =>
    leftOut.has(area) || rowsNotLookedUp(choices).includes(`${table} ${method}`);
  const trimmed = tablesOf(source).reduce(
    (text, table) => text.replace(table.text, trimTable(table, isLeftOut)),
    source,
  );
  return withoutRowTypes(withPlainAnswers(choices.client ? trimmed : withoutClientFacts(trimmed), leftOut));
}

/** Removes facts that only clients read: which requests may be sent again, and which numbers of results may be too low. */
function withoutClientFacts(methods: string): string {
  return methods.replaceAll(/^    (?:safe: true|minimums: \{.*\}),\n/gm, "");
}

/** Narrows the checks of results: to results without tasks where the program has none, and without input requests where it sends none. */
function withPlainAnswers(methods: string, leftOut: ReadonlySet<string>): string {
  const plain = leftOut.has("tasks") ? methods.replaceAll(/\b(check\.check\w+)Outcome\b/g, "$1Result") : methods;
  return asksNothing(leftOut) ? plain.replaceAll(/\b(check\.check\w+Result)ResponseResult\b/g, "$1") : plain;
}

function asksNothing(leftOut: ReadonlySet<string>): boolean {
  return questionAreas.every((area) => leftOut.has(area));
}

/**
 * Reduces checks to "is an object": of input responses inside requests, where the program sends no input requests, and of capabilities for parts of
 * the protocol that it never meets.
 */
export function trimChecks(source: string, leftOut: ReadonlySet<string>): string {
  const trimmed = source.replaceAll(capabilitiesCheck, (text) => trimCapabilities(text, leftOut));
  if (!asksNothing(leftOut)) return trimmed;
  return trimmed.replaceAll(
    answersCheck,
    '  if (v.inputResponses !== undefined && !isObject(v.inputResponses)) return fail("object", "inputResponses");\n',
  );
}

function trimCapabilities(check: string, leftOut: ReadonlySet<string>): string {
  return check.replaceAll(capabilityCheck, (text, name: string) =>
    leftOut.has(name)
      ? `  if (v.${name} !== undefined && !isObject(v.${name})) return fail("object", "${name}");\n`
      : text,
  );
}

const capabilitiesCheck =
  /^export function check(?:Client|Server)Capabilities\(v: unknown\): Issue \| undefined \{\n[^]*?^\}\n/gm;

const capabilityCheck =
  /^  const (\w+)Issue =\s+v\.\1 === undefined \? undefined : \w+\(v\.\1\);\n  if \(\1Issue\) return under\("\1", \1Issue\);\n/gm;

const answersCheck =
  /^  const inputResponsesIssue =\s+v\.inputResponses === undefined \? undefined : checkInputResponses\(v\.inputResponses\);\n  if \(inputResponsesIssue\) return under\("inputResponses", inputResponsesIssue\);\n/gm;

/** Returns the methods that are left in each table of a trimmed source. */
export function methodsLeft(source: string): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(tablesOf(source).map(({ name, rows }) => [name, new Set(rows.map(({ method }) => method))]));
}

/** Removes conversions of methods that are not there, and those in the direction that a server never converts. */
export function trimConversions(source: string, left: ReadonlyMap<string, ReadonlySet<string>>): string {
  return source.replaceAll(conversionTable, (_text, name: string, body: string) => {
    const rows = [...body.matchAll(conversionRow)].flatMap(([, key = "", parts = ""]) => {
      const isLeft = left.get(name)?.has(unquote(key)) ?? false;
      const kept = isLeft ? partsSentByServers(name, parts) : "";
      return kept === "" ? [] : [`    ${key}: { ${kept} },\n`];
    });
    return rows.length === 0 ? `  ${name}: {},\n` : `  ${name}: {\n${rows.join("")}  },\n`;
  });
}

interface Table {
  readonly name: string;
  readonly text: string;
  readonly rows: readonly Row[];
}

interface Row {
  readonly method: string;
  readonly text: string;
  /** Capability that the method belongs to, or else the first word of its name. */
  readonly area: string;
}

const tablePattern = /^export const (\w+): [\w<>]+ = \{\n([^]*?)^\};\n/gm;
const rowPattern = /^  (\S+): \{\n[^]*?^  \},\n/gm;
const gatePattern = /^    gate: \{ side: "\w+", path: \["(\w+)"/m;
const conversionTable = /^  (\w+): \{\n([^]*?)^  \},\n/gm;
const conversionRow = /^    (\S+): \{([^]*?)\},\n(?=    \S|$)/gm;

function tablesOf(source: string): Table[] {
  const tables = [...source.matchAll(tablePattern)].filter(([, name]) => name !== "revision");
  return tables.map(([text, name = "", body = ""]) => ({ name, text, rows: rowsOf(body) }));
}

function rowsOf(body: string): Row[] {
  return [...body.matchAll(rowPattern)].map(([text, key = ""]) => {
    const method = unquote(key);
    return { method, text, area: gatePattern.exec(text)?.[1] ?? areaOf(method) };
  });
}

/** Returns the first word of a method. `completion/complete` had no capability of its own at first. */
function areaOf(method: string): string {
  const [area = ""] = method.replace(/^notifications\//, "").split("/");
  return area === "completion" ? "completions" : area;
}

function trimTable({ name, text, rows }: Table, isLeftOut: (table: string, row: Row) => boolean): string {
  const gone = rows.filter((row) => isLeftOut(name, row));
  const trimmed = gone.reduce((rest, row) => rest.replace(row.text, ""), text);
  return trimmed.replace(/ = \{\n\};\n$/, " = {};\n");
}

/** Keeps only those members of a revision that the interface `Revision` in `support.ts` has. */
export function trimRevision(methods: string, support: string): string {
  const [, members = ""] = /^export interface Revision \{\n([^]*?)^\}\n/m.exec(support) ?? [];
  const known = new Set([...members.matchAll(/^  readonly (\w+)\??:/gm)].map(([, name]) => name));
  return methods.replace(/(?<=^export const revision: Revision = \{\n)[^]*?(?=^\};\n)/m, (body) =>
    body.replaceAll(/^  (\w+)(?::[^]*?)?,\n(?=  \w|(?![^]))/gm, (fact, name: string) => (known.has(name) ? fact : "")),
  );
}

/** Removes the types of rows, which only stubs need: a server needs tables. */
export function withoutRowTypes(source: string): string {
  return source
    .replaceAll(/^(?:\/\*\*[^\n]*\*\/\n)?export type \w+ = (?:\{[^]*?^\}|Readonly<Record<string, never>>);\n\n/gm, "")
    .replaceAll(/^export const (\w+): \w+ = \{/gm, (text, name: string) => {
      const spec = tableSpecs.find((table) => table.name === name);
      return spec ? `/** ${spec.summary} */\nexport const ${name}: Table<${rowTypes[spec.kind]}> = {` : text;
    })
    .replace(/^import type \{[^}]*\} from "((?:\.\.\/)+)support\.ts";/m, supportImport);
}

const supportImport =
  'import type { EmbeddedRow, Extension, NotificationRow, RequestRow, Revision, Table } from "$1support.ts";';

const rowTypes = { request: "RequestRow", notification: "NotificationRow", embedded: "EmbeddedRow" } as const;

/** Returns the conversions of what a server sends: params of its requests and notifications, and results of the client's requests. */
function partsSentByServers(table: string, parts: string): string {
  const wanted = table === "clientRequests" ? "result" : "params";
  if (table === "clientNotifications") return "";
  const found = new RegExp(String.raw`\b${wanted}: (\w+)`).exec(parts);
  return found ? `${wanted}: ${found[1]}` : "";
}

function unquote(key: string): string {
  return key.startsWith('"') ? JSON.parse(key) : key;
}
