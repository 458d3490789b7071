import type { Method, Role, Sender } from "../model.ts";
import { resolveObject, type Declared } from "../model/resolve.ts";
import { summaryText } from "./doc-text.ts";

/** Name of the constant of a dispatch table. */
export type TableName =
  "clientRequests" | "serverRequests" | "clientNotifications" | "serverNotifications" | "embeddedRequests";

/** Table of the methods of one kind and one sender. */
export interface MessageTable {
  readonly name: string;
  readonly kind: Method["kind"];
  readonly sender: Sender;
  readonly summary: string;
}

/** One of the five dispatch tables of a revision. */
export interface TableSpec extends MessageTable {
  readonly name: TableName;
  readonly sender: Role;
}

/** Dispatch tables in the order in which they appear in the file. */
export const tableSpecs: readonly TableSpec[] = [
  {
    name: "clientRequests",
    kind: "request",
    sender: "client",
    summary: "Requests of a client to a server.",
  },
  {
    name: "serverRequests",
    kind: "request",
    sender: "server",
    summary: "Requests of a server to a client.",
  },
  { name: "clientNotifications", kind: "notification", sender: "client", summary: "Notifications of a client." },
  { name: "serverNotifications", kind: "notification", sender: "server", summary: "Notifications of a server." },
  {
    name: "embeddedRequests",
    kind: "embedded",
    sender: "server",
    summary: "Payloads of results that require input; never sent as messages.",
  },
];

/**
 * Tables of an extension for the connection of a view and its host. The constant `extension` does not refer to them: clients and servers neither
 * accept these messages nor bundle their checks.
 */
export const viewTables: readonly MessageTable[] = [
  { name: "viewRequests", kind: "request", sender: "view", summary: "Requests of a view to its host." },
  { name: "hostRequests", kind: "request", sender: "host", summary: "Requests of a host to a view." },
  { name: "viewNotifications", kind: "notification", sender: "view", summary: "Notifications of a view." },
  { name: "hostNotifications", kind: "notification", sender: "host", summary: "Notifications of a host." },
];

/** Returns the methods of a table, in model order. */
export function methodsOf(methods: readonly Method[], { kind, sender }: MessageTable): Method[] {
  return methods.filter((method) => method.kind === kind && method.senders.includes(sender));
}

/** Returns the type of the params as the generated stubs write it, with the types module imported as `t`. */
export function paramsText({ type, params }: Method): string {
  if (!params) return "Record<string, unknown>";
  if (params.shape.kind === "reference") return `t.${params.shape.name}`;
  const indexed = `t.${type}["params"]`;
  return params.optional ? `NonNullable<${indexed}>` : indexed;
}

/** Returns the type of the params as a caller gives them: the connection adds required metadata. */
export function sentText(method: Method, model: Declared): string {
  return hasRequiredMeta(method, model) ? `Sent<${paramsText(method)}>` : paramsText(method);
}

/** True if the params of a request must have `_meta`. */
export function hasRequiredMeta(method: Method, model: Declared): boolean {
  return requiredParams(method, model).includes("_meta");
}

/** True if the params of a request must have `_meta`, and nothing else. */
export function onlyHasMeta(method: Method, model: Declared): boolean {
  const required = requiredParams(method, model);
  return required.length === 1 && required.includes("_meta");
}

function requiredParams({ kind, params }: Method, model: Declared): string[] {
  const object = kind === "request" && params ? resolveObject(params.shape, model) : undefined;
  return object?.properties.filter(({ optional }) => !optional).map(({ name }) => name) ?? [];
}

/** Returns the type of every possible result of a request. */
export function resultText(method: Method): string {
  return [...plainResultNames(method), ...method.alternatives.map(({ type }) => type)]
    .map((type) => `t.${type}`)
    .join(" | ");
}

/** Returns the type of the results of a call that did not request an alternative. */
export function plainResultText(method: Method): string {
  return plainResultNames(method)
    .map((type) => `t.${type}`)
    .join(" | ");
}

/** True if the params may be left out. */
export function mayOmitParams({ params }: Method): boolean {
  return params === undefined || params.optional;
}

/** Returns the first sentence of a method's own comment. */
export function methodSummary(method: Method): string {
  const sentence = summaryText(method.doc).split(/(?<=[^.][.;]) (?=[A-Z])/)[0] ?? "";
  return sentence === "" ? `A ${method.kind} of this revision.` : sentence;
}

/** Returns the names of the results of a call that did not request an alternative. */
export function plainResultNames({ result }: Method): string[] {
  const members = result?.kind === "union" ? result.of : [result];
  return members.flatMap((member) => (member?.kind === "reference" ? [member.name] : []));
}
