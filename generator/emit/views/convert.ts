import { harmless } from "../../internal/text.ts";
import type { RevisionModel, Role } from "../../model.ts";
import type { ConvertFunction } from "../convert-text.ts";
import { methodsOf, tableSpecs, type TableSpec } from "../method-text.ts";
import type { MethodConversions, WrittenConversions, WrittenFunctions } from "../written-conversions.ts";

/** View of the template `convert.ts.hbs`. */
export interface ConvertView {
  readonly revision: string;
  readonly support: string;
  readonly rules: string;
  readonly functions: readonly ConvertFunction[];
  readonly tables: readonly ConversionTable[];
  /** Conversions of what peers of the revision send, by the newer revision from which each applies. */
  readonly received: readonly { readonly since: string; readonly tables: readonly ConversionTable[] }[];
}

interface ConversionTable {
  readonly name: string;
  readonly summary: string;
  readonly rows: readonly { readonly text: string }[];
}

const supportNames = ["ConversionError", "isObject"];
const helperTypes = ["GoneKeys", "KnownKeys"];

/** Names a function uses, apart from helpers and rules. */
const otherNames: ReadonlySet<string> = new Set([...supportNames, ...helperTypes, "loss"]);

/**
 * Returns, for each dispatch table, a table of conversions by method, and the functions in these tables. With a sender, only the conversions of its
 * own messages are included, and of messages received from the other side.
 */
export function convertView(
  { id, methods }: Pick<RevisionModel, "id" | "methods">,
  written: WrittenConversions,
  sender?: Role,
): ConvertView {
  const sent = tablesOf(methods, written, sender);
  const peer = sender && (sender === "client" ? "server" : "client");
  const received = written.received.map((each) => ({ since: each.since, ...tablesOf(methods, each, peer) }));
  const functions = [sent, ...received].flatMap((each) => each.functions);
  const uses = new Set(functions.flatMap((one) => one.uses));
  const isUsed = (name: string): boolean => uses.has(name);
  const types = helperTypes.filter(isUsed).map((name) => `type ${name}`);
  return {
    revision: isUsed("ConversionError") ? JSON.stringify(id) : "",
    support: [
      ...supportNames.filter(isUsed),
      "type Conversions",
      "type OnLoss",
      ...(received.length > 0 ? ["type ReceivedConversions"] : []),
    ].join(", "),
    rules: [...[...uses].filter((name) => !otherNames.has(name)).sort(), ...types].join(", "),
    functions: functions.map((one) => ({ ...one, type: harmless(one.type) })),
    tables: sent.tables,
    received: received.map(({ since, tables }) => ({ since: JSON.stringify(since), tables })),
  };
}

function tablesOf(
  methods: RevisionModel["methods"],
  written: WrittenFunctions,
  sender: Role | undefined,
): { readonly tables: readonly ConversionTable[]; readonly functions: readonly ConvertFunction[] } {
  const byType = new Map(written.methods.map((found) => [found.type, found]));
  const tables = tableSpecs.map((spec) => ({
    name: spec.name,
    summary: spec.summary,
    rows: methodsOf(methods, spec).map(({ name, type }) => ({
      name,
      parts: partsSentBy(sender, byType.get(type), spec),
    })),
  }));
  const called = tables.flatMap(({ rows }) => rows.flatMap(({ parts }) => Object.values(parts)));
  return {
    tables: tables.map((table) => ({ ...table, rows: table.rows.flatMap(rowText) })),
    functions: reachFunctions(written, called),
  };
}

type Parts = Pick<MethodConversions, "params" | "result">;

/** A side sends the params of its own methods and the results of the methods of the other side. */
function partsSentBy(sender: Role | undefined, { params, result }: Parts = {}, table: TableSpec): Parts {
  const sendsParams = sender === undefined || sender === table.sender;
  const sendsResult = sender !== table.sender;
  return {
    ...(sendsParams && params !== undefined && { params }),
    ...(sendsResult && result !== undefined && { result }),
  };
}

/** Returns the named functions, each followed by the functions it calls. */
function reachFunctions({ functions }: WrittenFunctions, names: readonly string[]): readonly ConvertFunction[] {
  const byName = new Map(functions.map((one) => [one.name, one]));
  const reached = new Set<ConvertFunction>();
  const reach = (name: string): void => {
    const found = byName.get(name);
    if (!found || reached.has(found)) return;
    reached.add(found);
    found.calls.forEach(reach);
  };
  names.forEach(reach);
  return [...reached];
}

function rowText({ name, parts }: { readonly name: string; readonly parts: Parts }): { readonly text: string }[] {
  const members = Object.entries(parts).map(([part, callee]) => `${part}: ${callee}`);
  return members.length === 0 ? [] : [{ text: `${JSON.stringify(name)}: { ${members.join(", ")} }` }];
}
