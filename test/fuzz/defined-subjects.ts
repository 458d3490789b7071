import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { isObject, type Revision } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import type { ClientSession } from "../../runtime/client/session/client-session.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { ToolError } from "../../runtime/server/errors.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { pick, type Random } from "../kit/random.ts";
import { handshakeRevisions } from "../kit/revisions.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { fuzzedFeatures } from "./client-features.ts";
import { awaitSent, type FuzzConnection, type OpenFuzzConnection, type Subject } from "./conversation.ts";
import { openInMemory } from "./fuzz-wire.ts";
import { OutcomeChecker } from "./outcome-checker.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Script } from "./steps.ts";
import { clientCapabilities, prepare, serverCapabilities, timeouts } from "./subjects.ts";

/* Both ends as users write them: whatever comes, their own parts must never fail. */

/** A defined server, with the handshake done. */
export async function createDefinedServerSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { fuzz, random } = prepare(script, revisions);
  const connection = await open("server");
  const { wire, settle: settleWire = settle } = connection;
  const served = serveFuzzed(connection, random);
  wire.post(initialize(fuzz.revision.id, script.isOpen ? clientCapabilities : {}));
  await awaitSent(connection);
  wire.post(initialized);
  await settleWire();
  const [opening] = wire.sent.splice(0);
  const declared = { server: readCapabilities(opening, "result"), client: script.isOpen ? clientCapabilities : {} };
  const receiver = { fuzz, role: "server", declared } as const;
  return {
    ...connection,
    checker: new OutcomeChecker(receiver, {
      codes: [-32602, -32002],
      hanging: new Set(),
      stopped: new Set(),
      isExact: true,
    }),
    receiver,
    ...served,
  };
}

/** Serves the server as users write it over a connection, for revisions that have what it defines. */
export function serveFuzzed(
  { channel, close }: Pick<FuzzConnection, "channel" | "close">,
  random: Random,
  revisions?: readonly Revision[],
): Pick<Subject, "things" | "use" | "close"> {
  const failures: string[] = [];
  const server = createFuzzedServer((error) => failures.push(String(error)), revisions);
  const connection = serve(server, channel, {
    timeouts,
    onError: ({ kind, error, method }) => {
      if (kind === "result" || kind === "handler") failures.push(`${kind} of ${method}: ${error.stack}`);
    },
  });
  return {
    things: definedThings,
    use: () => void announce(server, random),
    close: () => connection.close().then(async () => [...failures, ...((await close?.()) ?? [])]),
  };
}

/** A client's session, with the handshake done, that calls all the while. */
export async function createSessionSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { fuzz, random } = prepare(script, revisions);
  const connection = await open("client");
  const capabilities = script.isOpen ? serverCapabilities : {};
  const result = { protocolVersion: fuzz.revision.id, capabilities, serverInfo: { name: "s", version: "1" } };
  const options = { random, revisions: handshakeRevisions, result };
  const { opening, ...session } = await openFuzzedSession(connection, options);
  const declared = { server: capabilities, client: readCapabilities(opening, "params") };
  const receiver = { fuzz, role: "client", declared } as const;
  return {
    ...connection,
    checker: new OutcomeChecker(receiver, { codes: [-32602], hanging: new Set(), stopped: new Set(), isExact: true }),
    receiver,
    ...session,
  };
}

/** Session of a client under test. */
export interface SessionOptions {
  readonly random: Random;
  readonly revisions: readonly Revision[];
  /** Result of its first request. */
  readonly result: object;
}

/** Opens the session of a client as users write it, that calls all the while. Returns its first request as well. */
export async function openFuzzedSession(
  { channel, close, ...wired }: FuzzConnection,
  { random, revisions, result }: SessionOptions,
): Promise<Pick<Subject, "things" | "use" | "close"> & { readonly opening: unknown }> {
  const { wire, settle: settleWire = settle } = wired;
  const client = createClient<Declarations>({
    info: { name: "fuzzed", version: "1" },
    revisions,
    timeouts,
    ...fuzzedFeatures,
  });
  const connecting = client.connect((options) => connect(channel, options));
  await awaitSent(wired);
  const [opening] = wire.sent.splice(0);
  wire.post({ jsonrpc: "2.0", id: isObject(opening) ? opening.id : 0, result });
  const session = await connecting;
  await settleWire();
  wire.sent.length = 0;
  const calls = new Set<Promise<unknown>>();
  return {
    opening,
    things: ["file:///home"],
    use() {
      const call = pick(uses, random)(session).catch((error: unknown) => error);
      calls.add(call);
      void call.then(() => calls.delete(call));
    },
    async close() {
      await session.close();
      return [...(await awaitEnds(calls)), ...((await close?.()) ?? [])];
    },
  };
}

/** Names and URIs that the defined server has. */
export const definedThings: readonly string[] = ["add", "ask", "fail", "report", "file:///a", "db://ada/1", "greet"];

/** Creates a server as users write it, for revisions that have what it defines. */
export function createFuzzedServer(
  onError: (error: Error) => void,
  revisions: readonly Revision[] = handshakeRevisions,
): Server {
  const { defineServer, defineTool, defineResource, defineResourceTemplate, definePrompt } =
    forRevisions<Declarations>(revisions);
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

/** Notifies clients of a change, or does nothing. */
function announce(server: Server, random: Random): void {
  pick([() => server.resources.notifyUpdated("file:///a"), () => server.tools.notifyListChanged(), () => {}], random)();
}

/** Returns the capabilities of an opening message. */
export function readCapabilities(message: unknown, part: "params" | "result"): Readonly<Record<string, unknown>> {
  const value = isObject(message) ? message[part] : undefined;
  return isObject(value) && isObject(value.capabilities) ? value.capabilities : {};
}

/** Waits until calls end, which they do after the end of their session. Returns the problem that some never do. */
async function awaitEnds(calls: ReadonlySet<unknown>): Promise<readonly string[]> {
  await settle();
  for (let waits = 0; calls.size > 0 && waits < patience; waits += 1) await delay(1);
  return calls.size === 0 ? [] : [`${calls.size} calls never ended`];
}

/** Milliseconds for calls to end. */
const patience = 5_000;

/** Calls that a session makes. */
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
