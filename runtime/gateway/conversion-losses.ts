import { isObject, type ConversionError, type Loss, type OnLoss, type Revision } from "../../generated/support.ts";
import { hasName } from "../jsonrpc/errors.ts";
import type { ClientConnection } from "../client/connect.ts";
import { findRequestRow, requestOf, type ListRequestName } from "../client/session/requests.ts";
import { readItems, readNextCursor, type Page, type PageParams } from "../client/lists/pages.ts";

/** Part of what a server offers, and what clients of an older revision lose of it. */
export interface PartLosses {
  readonly part: "server" | "tool" | "resource" | "resource template" | "prompt";
  readonly name: string;
  /** Empty if the revision can express everything. */
  readonly losses: readonly Loss[];
}

/**
 * Reads what a server offers on a connection, and returns what a revision cannot express of it. Nothing is lost at the revision of the
 * connection itself, or at a newer one.
 *
 * @example
 * ```ts
 * import { readPartLosses } from "mcp-server-runtime/gateway";
 *
 * for (const { part, name, losses } of await readPartLosses(connection, revision)) console.log(part, name, losses);
 * ```
 */
export async function readPartLosses(connection: ClientConnection, target: Revision): Promise<PartLosses[]> {
  const server: PartLosses = {
    part: "server",
    name: connection.serverInfo.name,
    losses: findLosses(target, "initialize", {
      protocolVersion: target.id,
      capabilities: connection.serverCapabilities,
      serverInfo: connection.serverInfo,
    }),
  };
  const parts: PartLosses[] = [server];
  for (const list of lists) parts.push(...(await readListLosses(connection, target, list)));
  return parts;
}

interface List {
  readonly handler: ListRequestName;
  readonly member: string;
  readonly part: PartLosses["part"];
  readonly capability: string;
}

const lists: readonly List[] = [
  { handler: "listTools", member: "tools", part: "tool", capability: "tools" },
  { handler: "listResources", member: "resources", part: "resource", capability: "resources" },
  {
    handler: "listResourceTemplates",
    member: "resourceTemplates",
    part: "resource template",
    capability: "resources",
  },
  { handler: "listPrompts", member: "prompts", part: "prompt", capability: "prompts" },
];

async function readListLosses(connection: ClientConnection, target: Revision, list: List): Promise<PartLosses[]> {
  const { handler, member, part, capability } = list;
  const method = findRequestRow(connection.revision, handler)?.method;
  if (method === undefined || connection.serverCapabilities[capability] === undefined) return [];
  const found: PartLosses[] = [];
  const fetch = async (params: PageParams): Promise<ItemPage> =>
    toPage(await requestOf(connection, handler, params), member);
  for await (const item of readItems(fetch, (page) => page.items)) {
    const name = typeof item.name === "string" ? item.name : "";
    found.push({ part, name, losses: findLosses(target, method, { [member]: [item] }) });
  }
  return found;
}

interface ItemPage extends Page {
  readonly items: readonly Record<string, unknown>[];
}

function toPage(result: unknown, member: string): ItemPage {
  const page = isObject(result) ? result : {};
  const items = page[member];
  return { items: Array.isArray(items) ? items.filter(isObject) : [], ...readNextCursor(page) };
}

/** Returns the losses reported by the converter of the revision, without duplicates. An impossible conversion loses the whole value. */
function findLosses(target: Revision, method: string, result: object): Loss[] {
  const table = target.conversions?.clientRequests ?? {};
  const convert = Object.hasOwn(table, method) ? table[method]?.result : undefined;
  if (!convert) return [];
  const losses = new Map<string, Loss>();
  const onLoss: OnLoss = (loss) => void losses.set(JSON.stringify(loss), loss);
  try {
    convert(result, onLoss);
  } catch (error) {
    if (!isConversionError(error)) throw error;
    onLoss({ type: error.type, member: error.member ?? "", rule: "error" });
  }
  return [...losses.values()];
}

/** True for a conversion error, also for one of another copy of this package. */
function isConversionError(value: unknown): value is ConversionError {
  return hasName(value, ["ConversionError"]);
}
