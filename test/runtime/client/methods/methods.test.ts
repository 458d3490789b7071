import { describe, expect, test } from "vitest";
import type { CallToolResult, Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { Revision } from "../../../../generated/support.ts";
import type { AnyClientOptions, ClientOptions } from "../../../../runtime/client/options.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { SetupError } from "../../../../runtime/jsonrpc/errors.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { runTranscript } from "../../../../runtime/testing/transcript.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { openSession } from "../session/session-wire.ts";

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
const implementation = { name: "test", version: "1" };
const byRevision = revisions.map((revision): [string, Revision] => [revision.id, revision]);

/** A server whose tools send requests and notifications by method. */
const server = defineServer({
  ...implementation,
  onError: () => {},
  tools: [
    defineTool({
      name: "roots",
      async execute(_args, { request }) {
        const { roots } = await request("roots/list");
        return roots.map(({ uri }) => uri).join();
      },
    }),
    defineTool({
      name: "sample",
      async execute(_args, { request }) {
        const { model } = await request("sampling/createMessage", { messages: [], maxTokens: 1 });
        return model;
      },
    }),
    defineTool({
      name: "notify",
      async execute(_args, { notify, revision }) {
        await notify("notifications/message", { level: "error", data: revision });
        return "";
      },
    }),
  ],
});

type Options = Omit<ClientOptions<Declarations>, "info">;

async function connectAt(revision: Revision, options: Omit<Options, "revisions">) {
  return connectInMemory<Declarations>(server, { ...options, revisions: [revision] });
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === "text" ? block.text : "";
}

describe("handlers of methods of a client", () => {
  test.each(byRevision)(
    "handlers by name respond to requests of servers at %s, with the capability",
    async (_id, at) => {
      const seen: object[] = [];
      await using client = await connectAt(at, {
        handlers: {
          listRoots(params, context) {
            seen.push({ params, server: context.server.info, revision: context.revision });
            return { roots: [{ uri: "file:///a" }, { uri: "file:///b" }] };
          },
          createMessage: async ({ maxTokens }) => ({
            role: "assistant",
            content: { type: "text", text: "" },
            model: `model-${maxTokens}`,
          }),
        },
      });
      expect(textOf(await client.callTool("roots"))).toBe("file:///a,file:///b");
      expect(textOf(await client.callTool("sample"))).toBe("model-1");
      expect(seen).toEqual([
        { params: expect.any(Object), server: expect.objectContaining(implementation), revision: at.id },
      ]);
    },
  );

  test.each(byRevision)("a request without a handler is not sent to the client at %s", async (_id, at) => {
    await using client = await connectAt(at, { handlers: { listRoots: () => ({ roots: [] }) } });
    expect(textOf(await client.callTool("roots"))).toBe("");
    const outcome = await client.callTool("sample").then(textOf, (error: unknown) => String(error));
    expect(outcome).toMatch(/capability sampling|Missing required client capability/);
  });

  test.each(byRevision)(
    "handlers by name receive notifications at %s, beside the options for them",
    async (_id, at) => {
      const seen: unknown[] = [];
      await using client = await connectAt(at, {
        logLevel: "debug",
        onLog: () => void seen.push("option"),
        handlers: {
          loggingMessage: ({ level, data }, context) =>
            void seen.push({ level, data, revision: context.revision, server: context.server.info }),
        },
      });
      await client.callTool("notify");
      expect(seen).toEqual([
        "option",
        { level: "error", data: at.id, revision: at.id, server: expect.objectContaining(implementation) },
      ]);
    },
  );

  test.each(byRevision)(
    "a failing handler of a notification is reported at %s, and nothing else fails",
    async (_id, at) => {
      const reports: string[] = [];
      await using client = await connectAt(at, {
        logLevel: "debug",
        onError: ({ kind, error }) => void reports.push(`${kind}: ${String(error)}`),
        handlers: {
          loggingMessage: () => {
            throw new Error("no room");
          },
        },
      });
      await client.callTool("notify");
      expect(textOf(await client.callTool("notify"))).toBe("");
      expect(reports).toEqual(["handler: Error: no room", "handler: Error: no room"]);
    },
  );

  test.each(byRevision)("an invalid result of a handler reaches no server at %s", async (_id, at) => {
    const result: { roots: { uri: string }[] } = JSON.parse('{ "roots": [{ "name": "no URI" }] }');
    const problems: string[] = [];
    const note = (error: unknown): void => void problems.push(String(error));
    await using client = await connectAt(at, {
      handlers: { listRoots: () => result },
      onError: ({ error }) => note(error),
    });
    // In a session, the server gets an error; without one, the call ends.
    await client.callTool("roots").catch(note);
    expect(problems).toEqual([expect.stringContaining("The result of roots/list")]);
  });

  test.each(handshakeRevisions.map(({ id }) => id))(
    "the fallback of a client handles the requests that %s does not define",
    async (revision) => {
      const seen: unknown[] = [];
      const fallback: AnyClientOptions["fallback"] = ({ method, params }, { server: { info } }) => {
        seen.push(info);
        return { method, params };
      };
      const { wire } = await openSession({ fallback }, { revision });
      const request = { method: "example/ask", params: { a: 1 } };
      await runTranscript(wire, [
        [">", { id: 7, ...request }],
        ["~", { id: 7, result: request }],
      ]);
      expect(seen).toMatchObject([{ name: expect.any(String) }]);
      const { wire: without } = await openSession({}, { revision });
      await runTranscript(without, [
        [">", { id: 7, ...request }],
        ["~", { id: 7, error: { code: -32601 } }],
      ]);
    },
  );

  test.each<[what: string, options: Partial<AnyClientOptions>, message: string]>([
    ["a method of the option roots", { roots: [], handlers: { listRoots: () => ({}) } }, "by the option roots"],
    [
      "a method of the option sampling",
      { sampling: { createMessage: () => ({}) }, handlers: { createMessage: () => ({}) } },
      "by the option sampling",
    ],
    [
      "a method of the option elicitation",
      { elicitation: {}, handlers: { elicit: () => ({}) } },
      "by the option elicitation",
    ],
    ...["getTask", "getTaskPayload", "listTasks", "cancelTask"].map(
      (name): [string, Partial<AnyClientOptions>, string] => [
        `the method ${name} of the tasks that an option allows`,
        { sampling: { task: true, createMessage: () => ({}) }, handlers: { [name]: () => ({}) } },
        "by the option task",
      ],
    ),
    ["a name of no revision", { handlers: { listRoot: () => ({}) } }, "handlers.listRoot is not a method"],
    ["a request of clients", { handlers: { listTools: () => ({}) } }, "handlers.listTools is not a method"],
    ["a member of every object", { handlers: { toString: () => ({}) } }, "handlers.toString is not a method"],
    ["a value that is not a function", { handlers: { listRoots: [] } }, "handlers.listRoots is not a function"],
    ["a method of the runtime", { handlers: { ping: () => ({}) } }, "handlers.ping is served by the runtime"],
  ])("a SetupError names %s", (_what, options, message) => {
    const create = (): object => createUntypedClient({ info: implementation, revisions, ...options });
    expect(create).toThrow(SetupError);
    expect(create).toThrow(message);
  });

  test.each([{}, { elicitation: {} }, { sampling: { createMessage: () => ({}) } }])(
    "requests about tasks have handlers by name where no option allows tasks: %o",
    (options) => {
      const handlers = { getTask: () => ({}) };
      expect(() => createUntypedClient({ info: implementation, revisions, ...options, handlers })).not.toThrow();
    },
  );
});
