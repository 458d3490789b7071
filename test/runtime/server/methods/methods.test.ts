import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import type * as v2025 from "../../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import { RpcError, SetupError } from "../../../../runtime/jsonrpc/errors.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";

const { defineServer } = forRevisions<Declarations>(revisions);
const implementation = { name: "test", version: "1" };
const byRevision = revisions.map((revision): [string, Revision] => [revision.id, revision]);

const inputSchema = { type: "object" as const };
const text = (value: string): { type: "text"; text: string }[] => [{ type: "text", text: value }];

/** Tools and prompts by hand. */
const byHand = {
  ...implementation,
  handlers: {
    // Clients of older revisions may leave out the params.
    listTools: ({ cursor = "add" }: { cursor?: string }) => ({ tools: [{ name: cursor, title: "Adds", inputSchema }] }),
    callTool: ({ name }: { name: string }) => ({ content: text(`called ${name}`) }),
    listPrompts: async () => ({ prompts: [{ name: "greet" }] }),
  },
};

async function connectAt(server: Server, revision: Revision) {
  return connectInMemory<Declarations>(server, { revisions: [revision] });
}

/** Sends a request as it is, without checking its params. */
function raw(client: ClientConnection, method: string, params: object): Promise<unknown> {
  const accept = (): undefined => undefined;
  const row = {
    kind: "request",
    method,
    handler: "any",
    params: accept,
    paramsOptional: true,
    result: accept,
  } as const;
  return client.request(row, params);
}

/** Returns the code and the message of the error of a request. */
async function rejectionOf(call: Promise<unknown>): Promise<readonly [number, string]> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RpcError)) throw new Error("the request was not rejected", { cause: error });
  return [error.code, error.message];
}

describe("handlers of methods", () => {
  test.each(byRevision)(
    "handlers by name serve their methods at %s, with capability and envelope",
    async (id, revision) => {
      await using client = await connectAt(defineServer(byHand), revision);
      expect(Object.keys(client.serverCapabilities).sort()).toEqual(["logging", "prompts", "tools"]);
      const result = await client.request("tools/list");
      // Older revisions get the title where they show it.
      const title = id < "2025-03-26" ? {} : id < "2025-06-18" ? { annotations: { title: "Adds" } } : { title: "Adds" };
      expect(result.tools).toEqual([{ name: "add", ...title, inputSchema }]);
      const isStateless = revision.lifecycle === "per-request";
      expect([result.resultType, result.ttlMs, result.cacheScope]).toEqual(
        isStateless ? ["complete", 0, "private"] : [undefined, undefined, undefined],
      );
      expect((await client.callTool("add")).content).toEqual(text("called add"));
      expect(await client.listPrompts()).toEqual([{ name: "greet" }]);
      expect((await rejectionOf(raw(client, "resources/list", {})))[0]).toBe(-32601);
    },
  );

  test("a method of other revisions has no handler at a revision without it", async () => {
    const subscribed: string[] = [];
    const { defineServer: define } = forRevisions<v2025.Declarations>(revisions);
    const server = define({
      ...implementation,
      handlers: {
        subscribe: ({ uri }) => void subscribed.push(uri),
        unsubscribe: () => ({}),
      },
    });
    for (const [, revision] of byRevision) {
      await using client = await connectAt(server, revision);
      const has = Object.hasOwn(revision.clientRequests, "resources/subscribe");
      const call = client.request("resources/subscribe" as string, { uri: `a://${revision.id}` });
      if (has) expect(await call).toEqual({});
      else await expect(call).rejects.toThrow("has no client request resources/subscribe");
      expect(Object.keys(client.serverCapabilities).sort()).toEqual(has ? ["logging", "resources"] : ["logging"]);
    }
    expect(subscribed.length).toBe(revisions.length - 1);
  });

  test.each(byRevision)("handlers of methods request input of the client at %s", async (_id, revision) => {
    const server = defineServer({
      ...implementation,
      handlers: {
        getPrompt: async (_params, { inputResponses }) =>
          inputResponses
            ? { messages: [{ role: "user", content: { type: "text", text: JSON.stringify(inputResponses) } }] }
            : inputRequired({ inputRequests: { roots: { method: "roots/list" } } }),
      },
    });
    await using client = await connectInMemory<Declarations>(server, {
      revisions: [revision],
      roots: [{ uri: "file:///a" }],
    });
    const { messages } = await client.getPrompt("any");
    expect(JSON.stringify(messages)).toContain("file:///a");
  });

  test("middleware runs around handlers of methods and around the fallback", async () => {
    const seen: string[] = [];
    const server = defineServer({
      ...byHand,
      fallback: ({ method }) => ({ method }),
      middleware: [
        ({ method, params }, next) => {
          seen.push(`${method} ${JSON.stringify(params)}`);
          return next();
        },
      ],
    });
    await using client = await connectAt(server, revisions.at(-1) ?? fail());
    await client.request("prompts/list", {});
    expect(await raw(client, "other/method", { a: 1 })).toEqual({ method: "other/method" });
    expect(seen.slice(-2)).toEqual(["prompts/list {}", 'other/method {"a":1}']);
  });

  test.each(byRevision)(
    "an invalid result of a handler is an internal error at %s, and reported",
    async (_id, revision) => {
      const reports: string[] = [];
      const server = createServer(
        {
          ...implementation,
          handlers: { listTools: () => ({ tools: [{ title: "no name" }] }), listPrompts: () => "text" },
          onError: ({ error }) => void reports.push(String(error)),
        },
        revisions,
      );
      await using client = await connectAt(server, revision);
      for (const method of ["tools/list", "prompts/list"] as const)
        expect(await rejectionOf(client.request(method))).toEqual([-32603, "Internal error"]);
      expect(reports.map((report) => report.replace(/ at .*| is .*/, ""))).toEqual([
        expect.stringContaining("The result of tools/list"),
        expect.stringContaining("The result of prompts/list"),
      ]);
    },
  );

  test.each(byRevision)("invalid params never reach a handler of a method at %s", async (_id, revision) => {
    let calls = 0;
    const server = createServer(
      { ...implementation, handlers: { callTool: () => ({ content: [], calls: ++calls }) } },
      revisions,
    );
    await using client = await connectAt(server, revision);
    expect((await rejectionOf(raw(client, "tools/call", { name: 1 })))[0]).toBe(-32602);
    expect(calls).toBe(0);
  });

  test.each(byRevision)("the fallback handles methods that %s does not define", async (id, revision) => {
    const server = defineServer({
      ...implementation,
      fallback: ({ method, params }, { revision: own, meta }) => ({ method, params, own, keys: Object.keys(meta) }),
    });
    await using client = await connectAt(server, revision);
    expect(await raw(client, "resources/search", { text: "a" })).toMatchObject({ method: "resources/search", own: id });
    // A method of the revision without a handler is no matter of the fallback.
    expect((await rejectionOf(raw(client, "tools/list", {})))[0]).toBe(-32601);
  });

  test.each(byRevision)("handlers by name receive notifications of clients at %s", async (id, revision) => {
    const { defineServer: define } = forRevisions<v2025.Declarations>(revisions);
    const seen: object[] = [];
    const server = define({
      ...implementation,
      handlers: {
        rootsListChanged: (params, { client, session, revision: at }) =>
          void seen.push({ params, client: client.info, hasSession: isObject(session), at }),
      },
    });
    await using client = await connectInMemory<Declarations>(server, { revisions: [revision], roots: [] });
    const row = revision.clientNotifications["notifications/roots/list_changed"];
    expect(row !== undefined).toBe(revision.lifecycle === "handshake");
    if (!row) return;
    await client.notify(row, undefined);
    const own = { name: "test", version: "1" };
    await expect.poll(() => seen).toEqual([{ params: {}, client: own, hasSession: true, at: id }]);
  });

  test.each(byRevision)(
    "contexts send requests and notifications of %s by their methods, and no others",
    async (id, revision) => {
      const server = defineServer({
        ...implementation,
        handlers: {
          async callTool({ name }, context) {
            const send = async (): Promise<unknown> => {
              switch (name) {
                case "form": {
                  const requestedSchema = {
                    type: "object" as const,
                    properties: { seat: { type: "string" as const } },
                  };
                  return context.request("elicitation/create", { mode: "form", message: "Seat?", requestedSchema });
                }
                case "updated":
                  return context.notify("notifications/resources/updated", { uri: "a://1" });
                default:
                  // A method missing in the types of the newest revision.
                  return createAny(context).request("tasks/get", { taskId: "1" });
              }
            };
            const outcome = await send().then(
              (value) => value ?? "sent",
              (error: unknown) => String(error),
            );
            return { content: text(JSON.stringify(outcome)) };
          },
        },
      });
      await using client = await connectInMemory<Declarations>(server, {
        revisions: [revision],
        elicitation: { form: () => ({ action: "accept", content: { seat: "12A" } }) },
      });
      const call = async (name: string): Promise<string> => JSON.stringify((await client.callTool(name)).content);
      const hasForms = id >= "2025-06-18";
      expect(await call("form")).toContain(hasForms ? "12A" : "has not declared the capability elicitation");
      // The capability of resources is not declared.
      expect(await call("updated")).toContain("capability resources");
      expect(await call("task")).toContain(
        id === "2025-11-25"
          ? "has not declared the capability tasks"
          : `Revision ${id} has no request tasks/get of servers`,
      );
    },
  );

  test.each<[what: string, definition: object, message: string]>([
    ["tools", { tools: [{ name: "t", execute: () => "" }] }, "handlers.listTools is already served"],
    ["changing tools", { listChanged: ["tools"] }, "handlers.listTools is already served"],
  ])("a method that %s serve as well is a SetupError", (_what, definition, message) => {
    const define = (): Server =>
      createServer({ ...implementation, ...definition, handlers: { listTools: () => ({ tools: [] }) } }, revisions);
    expect(define).toThrow(SetupError);
    expect(define).toThrow(message);
  });

  test.each<[what: string, handlers: object, message: string]>([
    ["a name of no revision", { listTool: () => ({}) }, "handlers.listTool is not a method"],
    ["a member of every object", { toString: () => ({}) }, "handlers.toString is not a method"],
    ["a value that is not a function", { listTools: [] }, "handlers.listTools is not a function"],
    ["a method of the lifecycle", { ping: () => ({}) }, "handlers.ping is served by the runtime"],
    ["log levels", { setLevel: () => ({}) }, "handlers.setLevel is served by the runtime"],
  ])("a SetupError names %s", (_what, handlers, message) => {
    const define = (): Server => createServer({ ...implementation, handlers }, revisions);
    expect(define).toThrow(SetupError);
    expect(define).toThrow(message);
  });

  test("handlers may be methods of an object with state", async () => {
    class Tools {
      readonly #names = ["one"];
      listTools() {
        return { tools: this.#names.map((name) => ({ name, inputSchema })) };
      }
    }
    await using client = await connectAt(
      defineServer({ ...implementation, handlers: new Tools() }),
      byRevision[0]?.[1] ?? fail(),
    );
    expect(await client.listTools()).toMatchObject([{ name: "one" }]);
  });
});

/** Returns a context without the types of a revision. */
function createAny(context: { request: unknown }): { request(method: string, params: object): Promise<unknown> } {
  return Object.assign(Object.create(null), { request: context.request });
}

function fail(): never {
  throw new Error("no revision to test");
}
