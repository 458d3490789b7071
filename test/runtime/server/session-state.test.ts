import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createSessionState } from "../../../runtime/server/session-state.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";

const { defineTool } = forRevisions<Declarations>(handshakeRevisions);

const cart = createSessionState("cart", z.object({ items: z.array(z.string()).default([]) }), { maxBytes: 100 });

const add = defineTool({
  name: "add",
  inputSchema: z.object({ item: z.string() }),
  async execute({ item }, { session }) {
    const { items } = await cart.update(session, (state) => ({ items: [...state.items, item] }));
    return items.join();
  },
});

const show = defineTool({
  name: "show",
  async execute(_args, { session }) {
    const state = await cart.get(session);
    state.items.push("changed outside of update");
    return JSON.stringify(await cart.get(session));
  },
});

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Session = ClientSession<Declarations>;

const ways: Readonly<Record<string, (server: Server, revision: Revision) => Promise<Session>>> = {
  "in memory": (server, revision) => connectInMemory<Declarations>(server, { revisions: [revision] }),
  async "over HTTP"(server, revision) {
    const listener = await serveHttp(server, { port: 0 });
    closing.push(() => listener.close());
    return connectOver(listener.url, revision);
  },
};

function connectOver(url: string, revision: Revision): Promise<Session> {
  const client = createClient<Declarations>({ info: { name: "test", version: "1" }, revisions: [revision] });
  return client.connect((options) => connectHttp(url, options));
}

function create(): { readonly server: Server; readonly problems: string[] } {
  const problems: string[] = [];
  const onError = ({ error }: { readonly error: Error }): void => void problems.push(error.message);
  return { server: createServer({ name: "cart", version: "1", tools: [add, show], onError }, revisions), problems };
}

async function connect(way: string, server: Server, revision: Revision): Promise<Session> {
  const session = await ways[way]?.(server, revision);
  if (!session) throw new Error(`no way ${way}`);
  closing.push(() => session.close());
  return session;
}

const textOf = async (session: Session, name: string, args: object = {}): Promise<unknown> => {
  const { content } = await session.callTool(name, args);
  return content[0]?.type === "text" ? content[0].text : content;
};

describe.each(Object.keys(ways))("%s", (way) => {
  test.each(handshakeRevisions)("each session has a state of its own at $id", async (revision) => {
    const { server, problems } = create();
    const one = await connect(way, server, revision);
    const other = await connect(way, server, revision);
    expect(await textOf(one, "show")).toBe('{"items":[]}');
    expect(await textOf(one, "add", { item: "a" })).toBe("a");
    expect(await textOf(other, "add", { item: "b" })).toBe("b");
    // Over HTTP, requests that are sent together may overtake each other.
    const added = await Promise.all(["c", "d"].map((item) => textOf(one, "add", { item })));
    expect(added.map((text) => String(text).split(",").length).sort()).toEqual([2, 3]);
    const items = String(added.find((text) => String(text).length > 3)).split(",");
    expect(items.toSorted()).toEqual(["a", "c", "d"]);
    expect(await textOf(one, "show")).toBe(JSON.stringify({ items }));
    expect(await textOf(other, "show")).toBe('{"items":["b"]}');
    expect(problems).toEqual([]);
  });

  test("a call without a session has no state", async () => {
    const { server, problems } = create();
    expect(await textOf(await connect(way, server, statelessRevision), "show")).toBe("The tool failed");
    expect(problems).toEqual([
      'Tool "show" failed: The session state "cart" is not available; the request belongs to no session',
    ]);
  });

  test("a state that is too large is not stored", async () => {
    const { server, problems } = create();
    const session = await connect(way, server, newest);
    await textOf(session, "add", { item: "a" });
    expect(await textOf(session, "add", { item: "ä".repeat(50) })).toBe("The tool failed");
    expect(problems).toEqual([
      'Tool "add" failed: The session state "cart" has 118 bytes of at most 100; store large values elsewhere',
    ]);
    expect(await textOf(session, "show")).toBe('{"items":["a"]}');
  });
});

test("clients of a server over HTTP without sessions have no state", async () => {
  const { server, problems } = create();
  const listener = await serveHttp(server, { port: 0, sessions: false });
  closing.push(() => listener.close());
  const session = await connectOver(listener.url, newest);
  closing.push(() => session.close());
  expect(await textOf(session, "show")).toBe("The tool failed");
  expect(problems).toEqual([expect.stringContaining("belongs to no session")]);
});

test("a failed change leaves the state as it is", async () => {
  const session = {};
  await cart.update(session, () => ({ items: ["a"] }));
  const fail = (): never => {
    throw new Error("no");
  };
  await expect(cart.update(session, fail)).rejects.toThrow("no");
  const wrong: unknown = { items: [1] };
  await expect(Reflect.apply(cart.update, cart, [session, () => wrong])).rejects.toThrow(
    /^The session state "cart" does not match its schema:\n- items\[0\]/,
  );
  expect(await cart.get(session)).toEqual({ items: ["a"] });
});

test("a state is JSON", async () => {
  const state = createSessionState("when", z.object({ day: z.date().optional() }));
  await expect(state.update({}, () => ({ day: new Date(0) }))).rejects.toThrow(
    'The session state "when" must be JSON: at day the value is an instance of a class',
  );
});

test.each([
  [
    z.object({ count: z.number() }),
    /^The session state "s" does not match its schema:[^]*; give each member a default$/,
  ],
  [z.string(), /does not match its schema/],
  [z.object({}).refine(async () => true), /^The session state "s" /],
])("a schema without defaults is rejected", (schema, message) => {
  expect(() => createSessionState<unknown>("s", schema)).toThrow(message);
});
