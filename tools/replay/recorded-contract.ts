import { isObject } from "../../generated/support.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import type { Contract } from "../../generator/typed-client/contract/contract.ts";
import { readContract } from "../../generator/typed-client/contract/read-contract.ts";
import { readExchanges, type Exchange } from "./exchanges.ts";
import type { Recording } from "./recording.ts";

/**
 * Reads what a recorded server offers, from the lists in its recording. The last list of each kind counts.
 *
 * @throws {UserError} when the recording contains no list
 */
export function readRecordedContract({ path, header, messages, revision }: Recording): Contract {
  const exchanges = readExchanges(messages, revision).filter(({ outcome }) => outcome.kind === "result");
  const lists = Object.fromEntries(
    Object.entries(listMethods).map(([member, method]) => [member, readLastList(exchanges, method, member)]),
  );
  if (Object.values(lists).every((list) => list === undefined))
    throw new UserError(`${path} contains no list of tools, prompts or resources; record a client that lists them.`);
  const capabilities = readCapabilities(exchanges);
  const offer = { server: header.server, revision: header.protocol, capabilities };
  return readContract({ ...offer, ...lists, tools: lists.tools ?? [] }, path);
}

/** Methods of lists by the members of their results. */
const listMethods = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
} as const;

/** Joins the pages of the last complete list; `undefined` if there is none. */
function readLastList(exchanges: readonly Exchange[], method: string, member: string): readonly unknown[] | undefined {
  let last: readonly unknown[] | undefined;
  const open = new Map<string, readonly unknown[]>();
  for (const exchange of exchanges) {
    if (exchange.method !== method) continue;
    const { items, cursor, nextCursor } = readPage(exchange, member);
    const before = cursor === undefined ? [] : open.get(toKey(exchange, cursor));
    // Pages without their beginning are parts of no list. Those that follow an empty cursor may be the first ones again.
    if (!before || (cursor === "" && open.has(toKey(exchange, nextCursor)))) continue;
    const list = [...before, ...items];
    if (typeof nextCursor !== "string" || nextCursor === "") last = list;
    if (typeof nextCursor === "string") open.set(toKey(exchange, nextCursor), list);
  }
  return last;
}

interface Page {
  readonly items: readonly unknown[];
  readonly cursor: unknown;
  readonly nextCursor: unknown;
}

function readPage({ params, outcome }: Exchange, member: string): Page {
  const result = outcome.kind === "result" && isObject(outcome.result) ? outcome.result : {};
  const items = result[member];
  const cursor = isObject(params) ? params.cursor : undefined;
  return { items: Array.isArray(items) ? items : [], cursor, nextCursor: result.nextCursor };
}

function toKey({ connection }: Exchange, cursor: unknown): string {
  return JSON.stringify([connection, cursor]);
}

function readCapabilities(exchanges: readonly Exchange[]): unknown {
  const opening = exchanges.find(({ method }) => method === "initialize" || method === "server/discover");
  const result = opening?.outcome.kind === "result" ? opening.outcome.result : undefined;
  return isObject(result) && isObject(result.capabilities) ? result.capabilities : undefined;
}
