import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { findMethod } from "../../../runtime/protocol/methods/method-rows.ts";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { tap, type Seen } from "./tap.ts";

/** Requests that every server of this folder can respond to, by method. The newest way to write them; each revision has those that it knows. */
const requests: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ["ping", {}],
  ["logging/setLevel", { level: "debug" }],
  ["tools/list", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["resources/read", { uri: "file:///a.txt" }],
  ["resources/read", { uri: "file:///b.bin" }],
  ["resources/read", { uri: "file:///c/one" }],
  ["resources/read", { uri: "file:///nothing" }],
  ["resources/subscribe", { uri: "file:///a.txt" }],
  ["prompts/get", { name: "p", arguments: { x: "one" } }],
  ["prompts/get", { name: "nothing" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "o" }, context: { arguments: {} } },
  ],
  ["tools/call", { name: "report", arguments: { year: 2026 } }],
  ["tools/call", { name: "report", arguments: { year: "no" } }],
  ["tools/call", { name: "lengthy", arguments: {}, task: { ttl: 60_000 } }],
  ["tools/call", { name: "endless", arguments: {}, task: { ttl: 60_000 } }],
];

/** Tools of the maximal server that need no arguments. */
const maximal = ["media", "values", "fails", "nothing", "elicit", "choose", "visit", "sample", "roots", "announce"];

/** Goes through everything that a revision has, and gives every message of the conversation. */
export async function converse(
  channel: Channel,
  revision: Revision,
  tools: readonly string[] = maximal,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const connection = await connect(tap(channel, seen), {
    info: { name: "test", version: "1" },
    revisions: [revision],
    capabilities: toCapabilities(revision),
    logLevel: () => "debug",
    handlers: responders,
  });
  try {
    const listening = listen(connection);
    await sleep(50);
    for (const [method, params] of requests) await request(connection, method, params);
    for (const name of tools) await request(connection, "tools/call", { name, arguments: {} });
    await followTasks(connection, seen);
    if (findMethod(revision.clientNotifications, "notifications/roots/list_changed"))
      await connection.notify("notifications/roots/list_changed", {});
    await request(connection, "resources/unsubscribe", { uri: "file:///a.txt" });
    await cancelOne(connection, tools.at(-1) ?? "");
    listening.abort();
    await sleep(50);
  } finally {
    await connection.close();
  }
  return seen;
}

/** Sends a request. A rejection is part of the conversation, because errors are messages, too. */
async function request(
  connection: ClientConnection,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  const row = findMethod(connection.revision.clientRequests, method);
  if (!row) return;
  const sent = toKnown(params, connection.revision);
  const options = { onProgress: () => {} };
  try {
    const result = await connection.request(method, sent, options);
    const response = respond(result);
    if (response) await connection.request(method, { ...sent, ...response }, options);
  } catch (error) {
    // What a server does not offer is not asked for.
    const isExpected = error instanceof Error && ["PeerError", "CapabilityError"].includes(error.name);
    if (!isExpected) throw error;
  }
}

/** Params as a revision has them: this client is written for each. */
function toKnown({ task, context, ...params }: Readonly<Record<string, unknown>>, { id }: Revision): object {
  return {
    ...params,
    ...(id === "2025-11-25" && task !== undefined && { task }),
    ...(id >= "2025-06-18" && { ...(context !== undefined && { context }), _meta: { "example.com/a": 1 } }),
  };
}

/** Returns the responses to the input requests of a result. */
function respond(result: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(result) || result.resultType !== "input_required") return undefined;
  const inputRequests = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
  const inputResponses = inputRequests.map(([key, inputRequest]): [string, unknown] => [
    key,
    isObject(inputRequest) ? byMethod[String(inputRequest.method)] : undefined,
  ]);
  return {
    ...(inputRequests.length > 0 && { inputResponses: Object.fromEntries(inputResponses) }),
    ...(typeof result.requestState === "string" && { requestState: result.requestState }),
  };
}

const byMethod: Readonly<Record<string, object>> = {
  "elicitation/create": { action: "decline" },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "hi" }, model: "m" },
  "roots/list": { roots: [{ uri: "file:///home", name: "home" }] },
};

const responders = {
  elicit: () => byMethod["elicitation/create"],
  createMessage: () => byMethod["sampling/createMessage"],
  listRoots: () => byMethod["roots/list"],
};

function toCapabilities({ id, lifecycle }: Revision): Record<string, unknown> {
  const hasModes = id >= "2025-11-25";
  return {
    roots: lifecycle === "handshake" ? { listChanged: true } : {},
    sampling: {},
    ...(id >= "2025-06-18" && { elicitation: hasModes ? { form: {}, url: {} } : {} }),
  };
}

/** Subscribes to changes until it is aborted, at revisions that send them only to subscribers. */
function listen(connection: ClientConnection): AbortController {
  const ended = new AbortController();
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ["file:///a.txt"],
  };
  if (findMethod(connection.revision.clientRequests, "subscriptions/listen"))
    connection.request("subscriptions/listen", { notifications }, { signal: ended.signal }).catch(() => {});
  return ended;
}

/** The first task is waited for, the second ends only when it is cancelled. */
async function followTasks(connection: ClientConnection, seen: readonly Seen[]): Promise<void> {
  const created = seen
    .map(({ message }) => (isObject(message) && isObject(message.result) ? message.result.task : undefined))
    .filter(isObject);
  const methods = [["tasks/get", "tasks/result"], ["tasks/cancel"]];
  await request(connection, "tasks/list", {});
  for (const [index, { taskId }] of created.entries())
    for (const method of methods[index] ?? []) await request(connection, method, { taskId });
}

async function cancelOne(connection: ClientConnection, name: string): Promise<void> {
  const cancelled = new AbortController();
  const call = connection.request("tools/call", { name, arguments: {} }, { signal: cancelled.signal });
  cancelled.abort();
  await call.catch(() => {});
}
