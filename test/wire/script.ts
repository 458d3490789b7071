import { isObject } from "../../templates/support.ts";

/** A message of the script, or raw text in its place. */
export interface Step {
  readonly name: string;
  readonly message: unknown;
  /** Request to repeat, unrecorded, until its task is no longer working; only then the message is sent. */
  readonly until?: { readonly method: string; readonly params: object };
  /** Milliseconds to wait after its response, for notifications that are sent later. */
  readonly settle?: number;
}

/** Revisions of the protocol, newest first. */
export const revisionIds = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Version of the protocol. */
export type RevisionId = (typeof revisionIds)[number];

/** True if every request carries its own protocol version. */
export function isStateless(revision: RevisionId): boolean {
  return revision === "2026-07-28";
}

/** True if several messages may be sent as one JSON array. */
export function hasBatches(revision: RevisionId): boolean {
  return revision === "2025-03-26";
}

const clientInfo = { name: "wire", version: "1.0.0" };

const capabilities = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

const statelessMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {
    sampling: {},
    roots: {},
    elicitation: { form: {}, url: {} },
    extensions: { "io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/ui": {} },
  },
};

/** Builds a JSON-RPC request; the metadata of stateless requests is added. */
export function request(revision: RevisionId, id: unknown, method: string, params: object = {}): object {
  if (!isStateless(revision)) return { jsonrpc: "2.0", id, method, params };
  const own: unknown = "_meta" in params ? params._meta : {};
  return {
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, _meta: { ...statelessMeta, ...(isObject(own) ? own : {}) } },
  };
}

/** Messages that open a session, or nothing where there are no sessions. */
export function opening(revision: RevisionId): readonly Step[] {
  if (isStateless(revision)) return [{ name: "server/discover", message: request(revision, "d", "server/discover") }];
  const params = { protocolVersion: revision, capabilities, clientInfo };
  return [
    { name: "before initialize", message: request(revision, "early", "tools/list") },
    { name: "initialize", message: request(revision, 0, "initialize", params) },
    { name: "initialized", message: { jsonrpc: "2.0", method: "notifications/initialized" } },
  ];
}

/** Arguments of the tools that need some. */
const toolArguments: Readonly<Record<string, object>> = {
  echo: { text: "Grüße, 世界 \u2028" },
  add: { a: 1, b: 2 },
  slow: { ms: 5 },
  greet: { name: "Ada" },
  slow_compute: { seconds: 0.05, label: "sum" },
  confirm_delete: { filename: "a.txt" },
  test_tool_with_task: {},
  test_header_tool: { region: "eu-1" },
  test_sampling: { prompt: "Say hello" },
  test_elicitation: { message: "Who are you?" },
  json_schema_2020_12_tool: { name: "Ada", address: { street: "Main", city: "Bern" } },
};

/** Tools that make the server send notifications of its own, a moment later. */
const announcing = /change|touch/;

/** Results that differ from run to run. */
const timeDependent = new Set(["show_time", "refresh_time"]);

/** Calls of every tool that a server lists, as a plain call and, where tools can be tasks, as a task. */
export function toolCalls(revision: RevisionId, tools: readonly unknown[]): readonly Step[] {
  return tools.flatMap((tool) => {
    if (!isObject(tool) || typeof tool.name !== "string" || timeDependent.has(tool.name)) return [];
    const { name } = tool;
    const params = { name, arguments: toolArguments[name] ?? {}, _meta: { progressToken: `p-${name}` } };
    const message = request(revision, `call-${name}`, "tools/call", params);
    const call = { name: `tools/call ${name}`, message, ...(announcing.test(name) && { settle: 400 }) };
    const support = isObject(tool.execution) ? tool.execution.taskSupport : undefined;
    if (support === undefined || support === "forbidden") return [call];
    const asTask = request(revision, `task-${name}`, "tools/call", { ...params, task: { ttl: 60_000 } });
    return [call, { name: `tools/call ${name} as a task`, message: asTask }];
  });
}

/** Requests of the other features, valid and not. */
export function otherRequests(revision: RevisionId): readonly Step[] {
  const calls: readonly (readonly [name: string, method: string, params?: object])[] = [
    ["resources/list", "resources/list"],
    ["resources/templates/list", "resources/templates/list"],
    ["resources/read", "resources/read", { uri: "test://static-text" }],
    ["resources/read binary", "resources/read", { uri: "test://static-binary" }],
    ["resources/read template", "resources/read", { uri: "test://template/123/data" }],
    ["resources/read unknown", "resources/read", { uri: "test://nowhere" }],
    ["resources/subscribe", "resources/subscribe", { uri: "test://watched-resource" }],
    ["a resource changes", "tools/call", { name: "touch_watched_resource", arguments: {} }],
    ["resources/unsubscribe", "resources/unsubscribe", { uri: "test://watched-resource" }],
    ["lists change", "tools/call", { name: "announce_changes", arguments: {} }],
    ["prompts/list", "prompts/list"],
    ["prompts/get", "prompts/get", { name: "test_simple_prompt" }],
    [
      "prompts/get with arguments",
      "prompts/get",
      { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: "b" } },
    ],
    ["prompts/get without its arguments", "prompts/get", { name: "test_prompt_with_arguments" }],
    ["prompts/get image", "prompts/get", { name: "test_prompt_with_image" }],
    ["prompts/get that asks", "prompts/get", { name: "test_input_required_result_prompt" }],
    ["prompts/get unknown", "prompts/get", { name: "nothing" }],
    [
      "completion/complete prompt",
      "completion/complete",
      { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "test" } },
    ],
    [
      "completion/complete template",
      "completion/complete",
      { ref: { type: "ref/resource", uri: "test://template/{id}/data" }, argument: { name: "id", value: "1" } },
    ],
    ["logging/setLevel", "logging/setLevel", { level: "warning" }],
    ["log messages below the level", "tools/call", { name: "test_tool_with_logging", arguments: {} }],
    ["logging/setLevel unknown", "logging/setLevel", { level: "loud" }],
    ["ping", "ping"],
    ["second page with a wrong cursor", "tools/list", { cursor: "no-cursor" }],
    ["tools/call unknown", "tools/call", { name: "nothing", arguments: {} }],
    ["tools/call without a name", "tools/call", { arguments: {} }],
    ["tools/call with wrong arguments", "tools/call", { name: "greet", arguments: { name: 1 } }],
    ["tools/call add with wrong arguments", "tools/call", { name: "add", arguments: { a: "1", c: 2 } }],
    ["tools/call with arguments of a wrong type", "tools/call", { name: "greet", arguments: [] }],
    ["unknown method", "no/such/method"],
    ["second initialize", "initialize", { protocolVersion: revision, capabilities: {}, clientInfo }],
    ["tasks/list", "tasks/list"],
    ["tasks/get unknown", "tasks/get", { taskId: "nothing" }],
    ["server/discover", "server/discover"],
  ];
  return calls.map(([name, method, params]) => ({
    name,
    message: request(revision, name, method, params),
    ...(announcing.test(name) && { settle: 400 }),
  }));
}

/** Messages that break JSON, JSON-RPC or the revision's schema. */
export function brokenMessages(revision: RevisionId): readonly Step[] {
  return [
    { name: "text that is not JSON", message: "{ no JSON" },
    { name: "a number", message: "42" },
    { name: "null", message: "null" },
    { name: "an empty batch", message: "[]" },
    {
      name: "a batch",
      message: JSON.stringify([request(revision, "b1", "ping"), request(revision, "b2", "tools/list")]),
    },
    { name: "a wrong version of JSON-RPC", message: { jsonrpc: "1.0", id: "v", method: "tools/list" } },
    { name: "an id that is a fraction", message: { jsonrpc: "2.0", id: 1.5, method: "tools/list" } },
    { name: "an id that is null", message: { jsonrpc: "2.0", id: null, method: "tools/list" } },
    { name: "a repeated member", message: '{"jsonrpc":"2.0","id":"r","id":"s","method":"tools/list"}' },
    { name: "params that are a list", message: { jsonrpc: "2.0", id: "l", method: "tools/list", params: [] } },
    { name: "no metadata", message: { jsonrpc: "2.0", id: "m", method: "tools/list", params: {} } },
    { name: "an unknown notification", message: { jsonrpc: "2.0", method: "notifications/none" } },
    { name: "a response that was not asked for", message: { jsonrpc: "2.0", id: "never", result: {} } },
    {
      name: "a cancellation of nothing",
      message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "never" } },
    },
  ];
}

/** Response of the client to a request of the server. */
export function respond(method: unknown, params: unknown): object {
  switch (method) {
    case "sampling/createMessage":
      return { role: "assistant", model: "test-model", content: { type: "text", text: "Hello from the model" } };
    case "roots/list":
      return { roots: [{ uri: "file:///project", name: "project" }] };
    case "elicitation/create":
      return { action: "accept", content: fill(params) };
    default:
      return {};
  }
}

/** Values for the fields of a form. */
function fill(params: unknown): object {
  const schema = isObject(params) && isObject(params.requestedSchema) ? params.requestedSchema : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valueOf(isObject(field) ? field : {})]),
  );
}

function valueOf(field: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(field.enum)) return field.enum[0];
  if (Array.isArray(field.oneOf)) return isObject(field.oneOf[0]) ? field.oneOf[0].const : undefined;
  switch (field.type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return 7;
    case "array":
      return [];
    default:
      return "Ada";
  }
}

/** The next request of a call whose result asks for something, or that became a task; nothing when it is complete. */
export function followUp(revision: RevisionId, sent: unknown, result: unknown, round: number): Step | undefined {
  if (!isObject(result) || !isObject(sent) || !isObject(sent.params) || round > 6) return undefined;
  const id = `${String(sent.id)}/${round}`;
  if (isStateless(revision) && result.resultType === "input_required") {
    const inputResponses = respondToAll(result.inputRequests);
    const state = result.requestState === undefined ? {} : { requestState: result.requestState };
    const { requestState: _old, ...params } = sent.params;
    return {
      name: "input",
      message: request(revision, id, String(sent.method), { ...params, inputResponses, ...state }),
    };
  }
  const updated = sent.method === "tasks/update" ? sent.params.taskId : undefined;
  const task = updated === undefined ? taskOf(result) : { taskId: updated, status: "working" };
  if (!task) return undefined;
  if (task.status === "input_required" && isStateless(revision) && isObject(result.inputRequests)) {
    const params = { taskId: task.taskId, inputResponses: respondToAll(result.inputRequests) };
    return { name: "tasks/update", message: request(revision, id, "tasks/update", params) };
  }
  if (task.status === "input_required" || task.status === "completed" || task.status === "failed") {
    if (isStateless(revision)) return undefined;
    return { name: "tasks/result", message: request(revision, id, "tasks/result", { taskId: task.taskId }) };
  }
  const get = { method: "tasks/get", params: { taskId: task.taskId } };
  return { name: "tasks/get", message: request(revision, id, get.method, get.params), until: get };
}

function respondToAll(inputRequests: unknown): object {
  const requested = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return Object.fromEntries(requested.map(([key, one]) => [key, isObject(one) ? respond(one.method, one.params) : {}]));
}

function taskOf(result: Readonly<Record<string, unknown>>): { taskId: unknown; status: unknown } | undefined {
  const task = isObject(result.task) ? result.task : result;
  return typeof task.taskId === "string" ? { taskId: task.taskId, status: task.status } : undefined;
}

/** Milliseconds between two looks at a task. */
export const pollInterval = 150;

/** Returns the status of the task in a result, if there is one. */
export function statusOf(result: unknown): unknown {
  return isObject(result) ? taskOf(result)?.status : undefined;
}
