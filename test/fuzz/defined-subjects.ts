import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { isObject } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import type { ClientSession } from "../../runtime/client/session/client-session.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { ToolError } from "../../runtime/server/errors.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { pick, type Random } from "../oracle/random.ts";
import { handshakeRevisions } from "../runtime/fixture-revision.ts";
import { initialize, initialized } from "../runtime/wire.ts";
import { fuzzedFeatures } from "./client-features.ts";
import type { Subject } from "./conversation.ts";
import { FuzzWire } from "./fuzz-wire.ts";
import { OutcomeChecker } from "./outcome-checker.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Script } from "./steps.ts";
import { clientCapabilities, prepare, serverCapabilities, timeouts } from "./subjects.ts";

/* Both ends as users write them: whatever comes, their own parts must never fail. */

/** A defined server, with the handshake done. */
export async function createDefinedServerSubject(script: Script, revisions: readonly FuzzRevision[]): Promise<Subject> {
  const { fuzz, random } = prepare(script, revisions);
  const wire = new FuzzWire();
  const failures: string[] = [];
  const server = createServer((error) => failures.push(String(error)));
  const connection = serve(server, wire, {
    timeouts,
    onError: ({ kind, error, method }) => {
      if (kind === "result" || kind === "handler") failures.push(`${kind} of ${method}: ${error.stack}`);
    },
  });
  wire.post(initialize(fuzz.revision.id, script.isOpen ? clientCapabilities : {}), initialized);
  await settle();
  const [opening] = wire.sent.splice(0);
  const declared = { server: readCapabilities(opening, "result"), client: script.isOpen ? clientCapabilities : {} };
  const receiver = { fuzz, role: "server", declared } as const;
  return {
    wire,
    checker: new OutcomeChecker(receiver, {
      codes: [-32602, -32002],
      hanging: new Set(),
      stopped: new Set(),
      isExact: true,
    }),
    receiver,
    things: ["add", "ask", "fail", "report", "file:///a", "db://ada/1", "greet"],
    use: () => void announce(server, random),
    close: () => connection.close().then(() => failures),
  };
}

/** A client's session, with the handshake done, that calls all the while. */
export async function createSessionSubject(script: Script, revisions: readonly FuzzRevision[]): Promise<Subject> {
  const { fuzz, random } = prepare(script, revisions);
  const wire = new FuzzWire();
  const client = createClient<Declarations>({
    info: { name: "fuzzed", version: "1" },
    revisions: handshakeRevisions,
    timeouts,
    ...fuzzedFeatures,
  });
  const connecting = client.connect((opening) => connect(wire, opening));
  await settle();
  const [opening] = wire.sent.splice(0);
  const declared = { server: script.isOpen ? serverCapabilities : {}, client: readCapabilities(opening, "params") };
  const serverInfo = { name: "s", version: "1" };
  const result = { protocolVersion: fuzz.revision.id, capabilities: declared.server, serverInfo };
  wire.post({ jsonrpc: "2.0", id: isObject(opening) ? opening.id : 0, result });
  const session = await connecting;
  await settle();
  wire.sent.length = 0;
  const receiver = { fuzz, role: "client", declared } as const;
  const calls = new Set<Promise<unknown>>();
  return {
    wire,
    checker: new OutcomeChecker(receiver, { codes: [-32602], hanging: new Set(), stopped: new Set(), isExact: true }),
    receiver,
    things: ["file:///home"],
    use() {
      const call = pick(uses, random)(session).catch((error: unknown) => error);
      calls.add(call);
      void call.then(() => calls.delete(call));
    },
    async close() {
      await session.close();
      await settle();
      return calls.size === 0 ? [] : [`${calls.size} calls never ended`];
    },
  };
}

const { defineServer, defineTool, defineResource, defineResourceTemplate, definePrompt } =
  forRevisions<Declarations>(handshakeRevisions);

function createServer(onError: (error: Error) => void): Server {
  return defineServer({
    name: "fuzzed",
    version: "1",
    instructions: "None.",
    onError: ({ kind, error }) => kind === "callback" && onError(error),
    tools: [
      defineTool({
        name: "add",
        title: "Add",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
        execute: ({ a, b }) => ({ sum: a + b }),
      }),
      defineTool({
        name: "ask",
        async execute(_args, { roots, sample }) {
          const known = await roots().catch(() => []);
          const response = await sample({ messages: [], maxTokens: 1 }).catch(() => undefined);
          return `${known.length} ${response?.model}`;
        },
      }),
      defineTool({
        name: "fail",
        execute() {
          throw new ToolError("as it should");
        },
      }),
      defineTool({
        name: "report",
        async execute(_args, { progress, log }) {
          await progress(1, 2, "half");
          await log("warning", { any: "thing" });
          await log("debug", "nothing");
          return { content: [{ type: "text", text: "done" }] };
        },
      }),
    ],
    resources: [defineResource({ uri: "file:///a", name: "a", read: () => "text" })],
    resourceTemplates: [
      defineResourceTemplate({
        uriTemplate: "db://{user}/{id}{?page*}",
        name: "db",
        complete: { user: (typed) => ["ada", "bob"].filter((name) => name.startsWith(typed)) },
        read: ({ user }, { uri }) => `${String(user)} at ${uri}`,
      }),
    ],
    prompts: [
      definePrompt({
        name: "greet",
        arguments: { whom: { complete: () => ["you", "me"] } },
        get: ({ whom = "you" }) => `Hello ${whom}`,
      }),
    ],
    subscribe: true,
    listChanged: true,
    pageSize: 2,
  });
}

function announce(server: Server, random: Random): void {
  pick([() => server.resources.notifyUpdated("file:///a"), () => server.tools.notifyListChanged(), () => {}], random)();
}

function readCapabilities(message: unknown, part: "params" | "result"): Readonly<Record<string, unknown>> {
  const value = isObject(message) ? message[part] : undefined;
  return isObject(value) && isObject(value.capabilities) ? value.capabilities : {};
}

const uses: readonly ((session: ClientSession<Declarations>) => Promise<unknown>)[] = [
  (session) => session.listTools(),
  (session) => session.listResources(),
  (session) => session.listResourceTemplates(),
  (session) => session.listPrompts(),
  (session) => session.callTool("add", { a: 1 }, { onProgress() {} }),
  (session) => session.readResource("file:///a"),
  (session) => session.getPrompt("greet", { whom: "me" }),
  (session) => session.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "whom", value: "" } }),
  (session) => session.ping(),
  (session) => session.setLogLevel("error"),
  (session) => session.subscribe("file:///a", () => {}),
];
