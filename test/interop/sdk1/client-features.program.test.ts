import { afterEach, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import type { ClientOptions } from "../../../runtime/client/options.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createProgram } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

const script = await createProgram(new URL("./input-server.ts", import.meta.url));
const open: ClientSession<Declarations>[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

/** Our client of the official server, in a process of its own. */
async function startSession(options: Partial<ClientOptions<Declarations>> = {}): Promise<ClientSession<Declarations>> {
  const session = await connectClient<Declarations>(
    (opening) =>
      connect(
        createStdioClientTransport({
          command: process.execPath,
          args: [script],
          stderr: "ignore",
        }),
        opening,
      ),
    { info: { name: "c", version: "1" }, revisions: handshakeRevisions, ...options },
  );
  open.push(session);
  return session;
}

async function call(session: ClientSession<Declarations>, name: string): Promise<unknown> {
  const { content } = await session.callTool(name);
  const [block] = content;
  return block?.type === "text" ? JSON.parse(block.text) : undefined;
}

test("the official server requests roots, a completion, a form and a page of our client (RT-01, S-01, E-01)", async () => {
  const completed: string[] = [];
  const session = await startSession({
    roots: [{ uri: "file:///home", name: "Home" }],
    sampling: {
      createMessage: ({ messages }) => ({
        role: "assistant",
        model: "m",
        content: { type: "text", text: `${messages.length}: 42` },
      }),
    },
    elicitation: {
      form: () => ({ action: "accept", content: { name: "me" } }),
      url: ({ url }) => ({ action: url.startsWith("https://example.org/") ? "accept" : "decline" }),
      completed: (id) => completed.push(id),
    },
  });
  expect(await call(session, "roots")).toEqual([{ uri: "file:///home", name: "Home" }]);
  expect(await call(session, "sample")).toEqual({ type: "text", text: "1: 42" });
  const content = { name: "me", age: 42, colours: ["red"] };
  expect(await call(session, "form")).toEqual({ action: "accept", content });
  expect(await call(session, "page")).toEqual({ action: "accept" });
  expect(completed).toEqual(["e1"]);
});

test("the official server requests nothing of a client without capabilities", async () => {
  const session = await startSession();
  for (const name of ["roots", "sample", "form", "page"]) {
    expect(await session.callTool(name)).toMatchObject({ isError: true });
  }
});

test("our client receives lists, log messages and structured results of the official server", async () => {
  const entries: unknown[] = [];
  const changed: string[] = [];
  const session = await startSession({
    logLevel: "warning",
    validator: createAjvValidator(),
    onLog: (entry) => entries.push(entry),
    onListChanged: (list) => changed.push(list),
  });
  const before = await session.listTools();
  expect(await session.listTools()).toBe(before);
  expect(await session.callTool("sum")).toMatchObject({ structuredContent: { sum: 3 } });
  await session.callTool("grow");
  expect((await session.listTools()).map(({ name }) => name)).toContain("grown");
  expect(entries).toEqual([{ level: "warning", data: "growing" }]);
  expect(changed).toEqual(["tools"]);
});

test("the official server is started again when its process ends (P-02)", async () => {
  const events: string[] = [];
  const session = await startSession({
    reconnect: { initialDelay: 10 },
    onEvent: ({ kind }) => events.push(kind),
  });
  await expect(session.callTool("exit")).rejects.toMatchObject({ name: "ClosedError" });
  expect(await session.callTool("sum")).toMatchObject({ structuredContent: { sum: 3 } });
  expect(events).toEqual(["disconnected", "reconnecting", "reconnected"]);
});
