import { isObject, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../runtime/client/create-client.ts";
import type { AnyClientOptions } from "../../runtime/client/options.ts";
import { RpcError } from "../../runtime/jsonrpc/errors.ts";
import { bytes, foundItem, logged, newMembers, rejected } from "./definition.ts";
import { after, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** A conversation at one revision. */
export interface Talk {
  readonly step: Step;
  readonly drawn: Drawn;
  readonly revision: Revision;
  /** Opens a connection to the server. */
  readonly connect: ConnectionFactory;
}

/** Talks to a server at one revision. Each expectation follows from what was drawn. */
export async function converse(talk: Talk): Promise<void> {
  await readLists(talk);
  await readResults(talk);
  await callTools(talk);
  await callMethod(talk);
  await readLog(talk);
  await respondToInput(talk);
}

const info = { name: "drill", version: "1" };

interface OpenedClient extends AsyncDisposable {
  request(method: string, params?: unknown): Promise<unknown>;
  callTool(name: string): Promise<unknown>;
}

async function open({ connect, revision }: Talk, options: Partial<AnyClientOptions> = {}): Promise<OpenedClient> {
  const client = createUntypedClient({ info, revisions: [revision], ...options });
  const session: unknown = await client.connect(connect);
  if (!isClient(session)) throw new Error("The client has no session");
  return session;
}

function isClient(value: unknown): value is OpenedClient {
  return isObject(value) && typeof value.request === "function" && typeof value.callTool === "function";
}

function isNew({ revision }: Pick<Talk, "revision">): boolean {
  return revision.id === after;
}

/** Lists have the new members at the new revision only. */
async function readLists(talk: Talk): Promise<void> {
  await using client = await open(talk);
  const lists = [
    ["tools/list", "tools", "Tool"],
    ["resources/list", "resources", "Resource"],
    ["resources/templates/list", "resourceTemplates", "ResourceTemplate"],
    ["prompts/list", "prompts", "Prompt"],
  ] as const;
  for (const [method, member, type] of lists) {
    const first = firstOf(await client.request(method, {}), member);
    expectMembers(talk, type, first);
    if (type === "Prompt") expectMembers(talk, "PromptArgument", firstOf(first, "arguments"));
    if (type === "Tool") expectIcon(talk, first);
  }
}

/** Info of the server and results of handlers have the new members at the new revision only. */
async function readResults(talk: Talk): Promise<void> {
  const connection = await openConnection(talk, {});
  expectMembers(talk, "Implementation", connection.serverInfo);
  const prompt = await outcomeOf(connection.request("prompts/get", { name: "greet" }));
  talk.step.check(`a prompt at ${talk.revision.id}`, !(prompt instanceof Error), prompt);
  expectMembers(talk, "GetPromptResult", prompt);
  expectMembers(talk, "TextContent", memberOf(firstOf(prompt, "messages"), "content"));
  const shown = await outcomeOf(connection.request("tools/call", { name: "show" }));
  if (!(shown instanceof Error)) expectMembers(talk, "CallToolResult", shown);
  await connection.close();
}

function expectMembers({ step, drawn, revision }: Talk, type: string, found: unknown): void {
  const added = newMembers(drawn, type);
  const { member, isKnown } = drawn.required;
  // Older revisions know a formerly optional member.
  const expected = isNew({ revision }) ? added : isKnown ? pickMembers(added, [member]) : {};
  step.expect(`new members of ${type} at ${revision.id}`, pickMembers(found, Object.keys(added)), expected);
}

function pickMembers(value: unknown, names: readonly string[]): object {
  const present = isObject(value) ? names.filter((name) => Object.hasOwn(value, name)) : [];
  return Object.fromEntries(present.map((name) => [name, isObject(value) ? value[name] : undefined]));
}

/** Revisions with icons get their own name for the theme. */
function expectIcon(talk: Talk, tool: unknown): void {
  const { step, drawn, revision } = talk;
  const { enumValue } = drawn;
  if (enumValue.type !== "Icon") return;
  const icon = firstOf(tool, "icons");
  if (icon === undefined) return step.check(`icons at ${revision.id}`, !isNew(talk));
  step.expect(`theme at ${revision.id}`, memberOf(icon, "theme"), isNew(talk) ? enumValue.to : enumValue.from);
}

/** The new kind of content arrives as it is at the new revision, and as its rule says at others. */
async function callTools(talk: Talk): Promise<void> {
  const { step, drawn, revision } = talk;
  const { content, enumValue } = drawn;
  const contexts: unknown[] = [];
  await using client = await open(talk, {
    sampling: {
      context: true,
      createMessage(params) {
        contexts.push(memberOf(params, "includeContext"));
        return { role: "assistant", content: { type: "text", text: "42" }, model: "m" };
      },
    },
  });
  const shown = await outcomeOf(client.callTool("show"));
  const what = `${content.type} at ${revision.id}`;
  const { value, mimeType } = content;
  if (isNew(talk)) step.expect(what, contentOf(shown), { type: value, data: bytes, mimeType });
  else expectFile(talk, contentOf(shown));
  if (enumValue.type === "Icon") return;
  const consulted = await outcomeOf(client.callTool("consult"));
  step.check(`a completion at ${revision.id}`, JSON.stringify(consulted).includes("42"), consulted);
  step.expect(`context at ${revision.id}`, contexts, [isNew(talk) ? enumValue.to : enumValue.from]);
}

/** Content sent to an older client as a file has a URI of its own kind. */
function expectFile({ step, drawn, revision }: Talk, block: unknown): void {
  const { value, mimeType } = drawn.content;
  const resource = memberOf(block, "resource");
  step.expect(`type at ${revision.id}`, memberOf(block, "type"), "resource");
  step.expect(`file at ${revision.id}`, pickMembers(resource, ["mimeType", "blob"]), { mimeType, blob: bytes });
  const uri = String(memberOf(resource, "uri"));
  step.check(`the URI names the kind at ${revision.id}`, uri.startsWith(`attachment:${value}-`), uri);
}

async function callMethod(talk: Talk): Promise<void> {
  const { step, drawn, revision } = talk;
  const { method, param } = drawn.method;
  await using client = await open(talk);
  const found = await outcomeOf(client.request(method, { [param]: "a" }));
  if (!isNew(talk)) {
    const isUnknown = found instanceof Error && found.message.includes(`has no client request ${method}`);
    return step.check(`${method} is unknown at ${revision.id}`, isUnknown, found);
  }
  step.expect(`${method} at ${revision.id}`, memberOf(found, "matches") ?? found, [
    { item: foundItem(drawn), score: 1 },
  ]);
  step.expect(`cache hint of ${method}`, memberOf(found, "ttlMs"), drawn.method.isPaged ? 0 : undefined);
  const rejection = await outcomeOf(client.request(method, { [param]: rejected }));
  step.expect(`${drawn.newError.name} at ${revision.id}`, codeOf(rejection) ?? rejection, drawn.newError.code);
  const wrong = await outcomeOf(client.request(method, { [param]: 1 }));
  step.check(`params of another type at ${revision.id}`, wrong instanceof Error, wrong);
}

/** The client requests messages of the renamed level, and gets them under the level's name at its revision. */
async function readLog(talk: Talk): Promise<void> {
  const { step, drawn, revision } = talk;
  const { from, to } = drawn.logLevel;
  const level = isNew(talk) ? to : from;
  const entries: unknown[] = [];
  await using client = await open(talk, {
    logLevel: level,
    onLog: (entry) => void entries.push(pickMembers(entry, ["level", "data"])),
  });
  const outcome = await outcomeOf(client.callTool("log"));
  const isLogged = !(outcome instanceof Error) && memberOf(outcome, "isError") !== true;
  step.check(`a tool that logs at ${revision.id}`, isLogged, outcome);
  step.expect(`log messages at ${revision.id}`, entries, [{ level, data: logged }]);
}

/** The new request inside of results is sent and its response read at the new revision. At others the call fails. */
async function respondToInput(talk: Talk): Promise<void> {
  const { step, drawn, revision } = talk;
  const { method, capability, reply } = drawn.inputRequest;
  const connection = await openConnection(talk, { [capability]: {} });
  const first = await outcomeOf(connection.request("tools/call", { name: "locate" }));
  if (isNew(talk)) {
    const request = memberOf(memberOf(first, "inputRequests"), "here");
    step.expect(`${method} at ${revision.id}`, request ?? first, { method, params: { accuracy: "fine" } });
    const requestState = memberOf(first, "requestState");
    const again = { name: "locate", inputResponses: { here: { [reply]: 7 } }, requestState };
    const second = await outcomeOf(connection.request("tools/call", again));
    const text = memberOf(contentOf(second), "text");
    step.expect(`response to ${method}`, text ?? second, JSON.stringify({ here: { [reply]: 7 } }));
    const wrong = { ...again, inputResponses: { here: { [reply]: "seven" } } };
    const misfit = await outcomeOf(connection.request("tools/call", wrong));
    step.check(`response of another type to ${method}`, misfit instanceof Error, misfit);
    await using client = await open(talk, { handlers: { [drawn.inputRequest.handler]: () => ({ [reply]: 8 }) } });
    for (const [name, expected] of [
      ["locate", { here: { [reply]: 8 } }],
      ["request", { [reply]: 8 }],
    ] as const) {
      const called = await outcomeOf(client.callTool(name));
      const found = memberOf(contentOf(called), "text");
      step.expect(`response of a handler to ${method}, tool ${name}`, found ?? called, JSON.stringify(expected));
    }
  } else {
    const isFailed = first instanceof Error || memberOf(first, "isError") === true;
    step.check(`${method} is not sent at ${revision.id}`, isFailed, first);
  }
  await connection.close();
}

function openConnection(
  { connect, revision }: Talk,
  capabilities: Readonly<Record<string, object>>,
): Promise<ClientConnection> {
  const ignore = (): void => {};
  return connect({ info, revisions: [revision], capabilities, onNewSession: ignore, onNotificationsLost: ignore });
}

/** Returns the result of a request, or its error. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

function codeOf(outcome: unknown): number | undefined {
  return outcome instanceof RpcError ? outcome.code : undefined;
}

/** Returns the first block of a result, or the error. */
function contentOf(outcome: unknown): unknown {
  return outcome instanceof Error ? outcome : firstOf(outcome, "content");
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function firstOf(value: unknown, member: string): unknown {
  const list = memberOf(value, member);
  return Array.isArray(list) ? list[0] : undefined;
}
