import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { extension } from "../../../generated/extensions/skills/index.ts";
import type { Extension, Revision } from "../../../generated/support.ts";
import { DefinitionSlot, type BuiltServer } from "../../../tools/dev/definition-slot.ts";
import { DevService } from "../../../tools/dev/dev-service.ts";
import type { ServedOptions } from "../../../tools/dev/swapped-options.ts";
import { allFeatures } from "../../../runtime/server/create-server.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import type { AnyServerDefinition, AnyTool } from "../../../runtime/server/any-definition.ts";
import type { ServerTasks } from "../../../runtime/server/definition.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { createMemoryCluster, joinCluster } from "../../../cluster/index.ts";
import type { RequestHead } from "../../../runtime/transport/http-server/exchange/exchange.ts";
import type { Guard } from "../../../runtime/transport/http-server/identity.ts";
import { defineSettings } from "../../../runtime/server/settings/settings.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createGate } from "../../kit/time.ts";
import { initialize, initialized, meta, request } from "../../kit/messages.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { newest } from "../../kit/revisions.ts";

type Definition = Partial<AnyServerDefinition & ServerTasks>;

/** A server that is served on wires while its definition is swapped. */
function develop(first: Definition, options: ServedOptions & { readonly spoken?: readonly Revision[] } = {}) {
  const { spoken = revisions, ...served } = options;
  const slot = new DefinitionSlot();
  const build = (definition: Definition, tables: readonly Revision[]): BuiltServer =>
    slot.build({ name: "test", version: "1", ...definition }, tables, allFeatures).built;
  const service = new DevService(build(first, spoken), served, () => {});
  onTestFinished(() => service.server.close());
  return {
    service,
    replace: async (definition: Definition, more: ServedOptions = served, tables = spoken) =>
      service.replace(build(definition, tables), more),
  };
}

/** Opens a session on a wire. */
async function openSession({ service }: ReturnType<typeof develop>, capabilities: object = {}): Promise<Caller> {
  const caller = new Caller();
  serve(service.server, caller);
  caller.post(initialize(newest.id, capabilities), initialized);
  await expect.poll(() => caller.sent).toHaveLength(1);
  caller.sent.length = 0;
  return caller;
}

/** A wire whose requests are awaited. */
class Caller extends Wire {
  #id = 0;

  async request(message: (id: number) => object): Promise<Record<string, unknown>> {
    this.#id += 1;
    const id = this.#id;
    this.post(message(id));
    const find = (): unknown => this.sent.find((sent) => Object(sent).id === id && !("method" in Object(sent)));
    await expect.poll(() => find()).toBeDefined();
    return Object(find());
  }

  call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.request((id) => ({ jsonrpc: "2.0", id, method, params }));
  }

  /** Methods of the notifications so far. */
  get received(): readonly unknown[] {
    return this.sent.map((sent) => Object(sent).method).filter(Boolean);
  }
}

/** Defines extensions that list when they are set up and closed. */
function listEvents() {
  const events: string[] = [];
  const define = (name: string, tool?: AnyTool): Extension =>
    defineExtension(extension, {
      setup: (place) => {
        if (tool && place.end === "server") place.server.tools.add(tool);
        events.push(`${name} set up`);
        return { close: () => void events.push(`${name} closed`) };
      },
    });
  return { events, define };
}

const say = (text: string): AnyTool => ({ name: "say", execute: () => text });
const textOf = (text: string): object => ({ result: { content: [{ type: "text", text }] } });

describe("a swapped definition", () => {
  test("a task that is running finishes with the code with which it began, and its result is found later", async () => {
    const gate = createGate();
    const held = (text: string): AnyTool => ({ name: "held", task: true, execute: () => gate.opened.then(() => text) });
    const developed = develop({ tools: [held("old")] });
    const caller = await openSession(developed);
    const { result } = await caller.call("tools/call", { name: "held", task: {} });
    const { taskId } = Object(result).task;
    await developed.replace({ tools: [held("new")] });
    expect(await caller.call("tasks/get", { taskId })).toMatchObject({ result: { status: "working" } });
    gate.open();
    expect(await caller.call("tasks/result", { taskId })).toMatchObject(textOf("old"));
    expect(await caller.call("tools/call", { name: "held" })).toMatchObject(textOf("new"));
  });

  test("a call that needs input continues with the new code, from the state of the old one", async () => {
    const send = (word: string): AnyTool => ({
      name: "ask",
      async execute(_args, { elicit }) {
        if (typeof elicit !== "function") throw new Error("There is no elicitation");
        const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
        const { content } = await elicit({ message: "?", requestedSchema });
        return `${word} ${content.a}`;
      },
    });
    const developed = develop({ tools: [send("old")] });
    const caller = new Caller();
    serve(developed.service.server, caller);
    const call = (more: object = {}) =>
      caller.request((id) =>
        request(id, "tools/call", { name: "ask", ...more }, { [meta.capabilities]: { elicitation: { form: {} } } }),
      );
    const { requestState, inputRequests } = Object((await call()).result);
    await developed.replace({ tools: [send("new")] });
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { a: "yes" } } };
    expect(await call({ requestState, inputResponses })).toMatchObject(textOf("new yes"));
  });

  test("a request that listens for changes stays open over several versions", async () => {
    const developed = develop({ tools: [say("0")] });
    const caller = new Caller();
    serve(developed.service.server, caller);
    caller.post(request("listen", "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    await expect.poll(() => caller.received).toEqual(["notifications/subscriptions/acknowledged"]);
    for (const name of ["a", "b"]) await developed.replace({ tools: [{ ...say(name), name }] });
    const changed = "notifications/tools/list_changed";
    await expect.poll(() => caller.received.slice(1)).toEqual([changed, changed]);
  });

  test("server/discover and new sessions on an open connection see the last version", async () => {
    const developed = develop({ tools: [say("0")] });
    const caller = new Caller();
    serve(developed.service.server, caller);
    await developed.replace({ version: "2", prompts: [{ name: "p", get: () => "p" }], instructions: "New." });
    const discovered = await caller.request((id) => request(id, "server/discover"));
    expect(discovered).toMatchObject({ result: { capabilities: { prompts: {} }, instructions: "New." } });
    const opened = await caller.request((id) => initialize(newest.id, {}, id));
    expect(opened).toMatchObject({ result: { serverInfo: { version: "2" }, capabilities: { prompts: {} } } });
    expect(await caller.call("prompts/list")).toMatchObject({ result: { prompts: [{ name: "p" }] } });
  });

  test("changes that the program makes itself reach clients of an earlier version", async () => {
    const developed = develop({ tools: [say("0")] });
    const caller = await openSession(developed);
    await developed.replace({ tools: [say("1")] });
    const { tools } = developed.service.server;
    if (!("add" in tools) || typeof tools.add !== "function") expect.unreachable("the tools cannot change");
    else tools.add({ name: "later", execute: () => "" });
    await expect.poll(() => caller.received).toEqual(["notifications/tools/list_changed"]);
  });

  test("a version that cannot be served to open connections is rejected, and the last one stays", async () => {
    const developed = develop({ tools: [say("old")] });
    const caller = await openSession(developed);
    const others = revisions.slice(1);
    await expect(developed.replace({ tools: [say("new")] }, {}, others)).rejects.toThrow(/revisions .* have changed/);
    expect(await caller.call("tools/call", { name: "say" })).toMatchObject(textOf("old"));
  });

  test("a version whose settings are missing is rejected, and the last one stays", async () => {
    const developed = develop({ tools: [say("old")] });
    const settings = defineSettings(z.object({ DEV_TEST_FOLDER: z.string() }), { env: {} });
    await expect(developed.replace({ tools: [say("new")], settings })).rejects.toThrow(/DEV_TEST_FOLDER is missing/);
    const caller = await openSession(developed);
    expect(await caller.call("tools/call", { name: "say" })).toMatchObject(textOf("old"));
  });

  test("an extension of a replaced version is closed once the calls of this version have ended", async () => {
    const [begun, gate] = [createGate(), createGate()];
    const { events, define } = listEvents();
    const execute = async (): Promise<string> => {
      begun.open();
      await gate.opened;
      return "done";
    };
    const developed = develop({ tools: [{ name: "held", execute }], extensions: [define("old")] });
    const caller = await openSession(developed);
    const pending = caller.call("tools/call", { name: "held" });
    await begun.opened;
    await developed.replace({ tools: [say("new")], extensions: [define("new")] });
    expect(events).toEqual(["old set up", "new set up"]);
    gate.open();
    expect(await pending).toMatchObject(textOf("done"));
    expect(events).toEqual(["old set up", "new set up", "old closed"]);
    await developed.service.server.close();
    expect(events).toEqual(["old set up", "new set up", "old closed", "new closed"]);
  });

  test("an extension that adds the first tool is closed before it is set up again, and the tools can change", async () => {
    const { events, define } = listEvents();
    const developed = develop({ extensions: [define("old", { name: "added", execute: () => "added" })] });
    expect(events).toEqual(["old set up", "old closed", "old set up"]);
    const caller = await openSession(developed);
    expect(await caller.call("tools/list")).toMatchObject({ result: { tools: [{ name: "added" }] } });
    await developed.replace({ tools: [say("new")] });
    expect(caller.received).toContain("notifications/tools/list_changed");
  });

  test("an extension of a rejected version is closed", async () => {
    const { events, define } = listEvents();
    const developed = develop({ tools: [say("old")], extensions: [define("old")] });
    const rejected = developed.replace({ tools: [say("new")], extensions: [define("new")] }, {}, revisions.slice(1));
    await expect(rejected).rejects.toThrow(/revisions .* have changed/);
    expect(events).toEqual(["old set up", "new set up", "new closed"]);
  });

  test("extensions that appear, and other options of tasks, need a restart", async () => {
    const developed = develop({ tools: [say("old")] });
    const lines = await developed.replace({ tools: [{ ...say("new"), task: true }], tasks: { maxTtl: 5_000 } });
    expect(lines).toContain("restart needed for the extensions, tasks");
  });

  test("the check of credentials is the one of the last version", async () => {
    const accept = (key: string) => ({
      authenticate: (head: RequestHead) => (head.header("x-key") === key ? { principal: "me" } : { status: 401 }),
    });
    const developed = develop({ tools: [say("a")] }, accept("old"));
    const { service, replace } = developed;
    const handler = createHttpHandler(
      service.server,
      service.withLiveGuard({ ...accept("old"), allowedHosts: "any" as const }),
    );
    onTestFinished(() => handler.close());
    const post = async (key: string): Promise<number> => {
      const headers = {
        "x-key": key,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const body = JSON.stringify(initialize(newest.id));
      return (await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }))).status;
    };
    expect([await post("old"), await post("new")]).toEqual([200, 401]);
    expect(await replace({ tools: [say("b")] }, accept("new"))).toEqual(["reloaded"]);
    expect([await post("old"), await post("new")]).toEqual([401, 200]);
    // An open listener cannot lose its guard.
    expect(await replace({ tools: [say("c")] }, {})).toContain("restart needed for authenticate");
    expect([await post("old"), await post("new")]).toEqual([401, 200]);
  });

  test("each check of credentials joins the cluster, which rejects revoked principals", async () => {
    const cluster = await joinCluster(createMemoryCluster().connect());
    onTestFinished(() => cluster.close());
    const joined: string[] = [];
    const guarded = (name: string): { readonly authenticate: Guard } => ({
      authenticate: { authenticate: () => ({ principal: "me" }), useCluster: () => void joined.push(name) },
    });
    const first = guarded("first");
    const { service, replace } = develop({ tools: [say("a")] }, first);
    const options = { ...first, allowedHosts: "any", cluster } as const;
    const handler = createHttpHandler(service.server, service.withLiveGuard(options));
    onTestFinished(() => handler.close());
    const post = async (): Promise<number> => {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const body = JSON.stringify(initialize(newest.id));
      return (await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }))).status;
    };
    expect(await post()).toBe(200);
    await replace({ tools: [say("b")] }, guarded("second"));
    expect(await post()).toBe(200);
    expect(joined).toEqual(["first", "second"]);
    await cluster.revocations.revoke({ principal: "me", until: Date.now() + 60_000 });
    expect(await post()).toBe(401);
  });

  test("an event stream of a session over HTTP carries notifications of later versions", async () => {
    const { service, replace } = develop({ tools: [say("a")] });
    const handler = createHttpHandler(service.server, { allowedHosts: "any" });
    onTestFinished(() => handler.close());
    const send = (method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
      handler.fetch(
        new Request("http://localhost/mcp", {
          method,
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
    const opened = await send("POST", {}, initialize(newest.id));
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": newest.id };
    await send("POST", session, initialized);
    const stream = await send("GET", { ...session, accept: "text/event-stream" });
    await replace({ tools: [{ ...say("b"), name: "other" }] });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("tools/list_changed")) text += (await reader?.read())?.value ?? expect.unreachable(text);
    const listed = await send("POST", session, { jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect(await listed.json()).toMatchObject({ result: { tools: [{ name: "other" }] } });
  });

  test("lists are compared by what clients are shown", async () => {
    const developed = develop({ tools: [say("a")] });
    const words = { ...say("a"), inputSchema: z.object({ word: z.string() }) };
    expect(await developed.replace({ tools: [words] })).toEqual(["reloaded; tools: ~say"]);
    expect(await developed.replace({ tools: [{ ...words, inputSchema: z.object({ word: z.string() }) }] })).toEqual([
      "reloaded",
    ]);
    const second = { ...say("b"), name: "second" };
    expect(await developed.replace({ tools: [words, second] })).toEqual(["reloaded; tools: +second"]);
    expect(await developed.replace({ tools: [second, words] })).toEqual(["reloaded; tools: another order"]);
    expect(await developed.replace({ tools: [] })).toEqual(["reloaded; tools: -second, -say"]);
  });
});

test("the lists of the definition that is served are described for other nodes", async () => {
  const tool = (name: string): AnyTool => ({ name, execute: () => name });
  const { service, replace } = develop({ listChanged: ["tools"], tools: [tool("first")] });
  const describe = (): string => String(service.server.clients.describeLists?.().get("tools"));
  expect(describe()).toContain("first");
  await replace({ listChanged: ["tools"], tools: [tool("second")] });
  expect(describe()).toContain("second");
  expect(describe()).not.toContain("first");
});
