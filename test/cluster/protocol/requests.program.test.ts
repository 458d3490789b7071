import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { requestRoots, changed, log, type Tool } from "../../kit/http-server.ts";
import { call, codeOf, initialize, textOf } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { until } from "../../kit/time.ts";
import { lease, startNodes, type Nodes } from "./nodes.ts";

let nodes: Nodes | undefined;
const starts: string[] = [];
const aborts: string[] = [];
const gates = new Map<string, (value: string) => void>();

/** Tools of a node, which write what they do. */
const toolsOf = (node: number): Record<string, Tool> => ({
  echo: (_context, { text }) => {
    starts.push(`${node} echo ${String(text)}`);
    return text;
  },
  /** Asks for the roots, and returns them. */
  ask: async (context) => JSON.stringify(await requestRoots(context)),
  /** Logs, then waits for its gate. */
  wait: async (context, { key, text }) => {
    starts.push(`${node} wait ${String(key)}`);
    if (text !== undefined) await log(context, text);
    const gate = new Promise<string>((resolve) => gates.set(String(key), resolve));
    context.signal.addEventListener("abort", () => aborts.push(`${node} ${String(key)}`), { once: true });
    return Promise.race([gate, whenAborted(context)]);
  },
});

function whenAborted({ signal }: CallContext): Promise<string> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted"), { once: true }));
}

async function begin(count = 2): Promise<Nodes> {
  nodes = await startNodes(count, toolsOf);
  return nodes;
}

afterEach(async () => {
  for (const open of gates.values()) open("over");
  gates.clear();
  starts.length = 0;
  aborts.length = 0;
  await nodes?.close();
  nodes = undefined;
});

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("requests of a session on two nodes at %s", (revision) => {
  it("a session that one node opened is served by another", async () => {
    const { open, post } = await begin();
    const session = await open(revision);
    expect(textOf((await post(1, session, call(1, "echo", { text: "hi" }))).json)).toBe("hi");
    expect(starts).toEqual(["1 echo hi"]);
  });

  it("a node sends its request at once, though another node has received the confirmation of the handshake", async () => {
    const { open, post, rigs } = await begin();
    const opened = await rigs[0]?.send({ body: initialize(revision, { roots: {} }) });
    const id = String(opened?.headers["mcp-session-id"]);
    const session = {
      ...(await open(revision)),
      id,
      headers: { "mcp-session-id": id, "mcp-protocol-version": revision },
    };
    expect(rigs[0]?.connections[0]?.state).toBe("INITIALIZING");
    await post(1, session, initialized);
    await post(0, session, call(1, "echo", { text: "hi" }));
    expect(rigs[0]?.connections[0]?.state).toBe("INITIALIZED");
  });

  it("responses to requests of two nodes reach their nodes, though another node receives them (E6)", async () => {
    const { open, post, postStream } = await begin();
    const session = await open(revision);
    const [first, second] = [
      await postStream(0, session, call(1, "ask")),
      await postStream(1, session, call(2, "ask")),
    ];
    const [request, requestedToo] = [await first.message(), await second.message()];
    expect(request.id).not.toBe(requestedToo.id);
    const respond = (node: number, id: unknown, uri: string) =>
      post(node, session, { jsonrpc: "2.0", id, result: { roots: [{ uri }] } });
    expect((await respond(1, request.id, "file:///first")).status).toBe(202);
    expect((await respond(0, requestedToo.id, "file:///second")).status).toBe(202);
    expect(textOf(await first.message())).toContain("file:///first");
    expect(textOf(await second.message())).toContain("file:///second");
  });

  it.each([1, "x".repeat(512)])("a cancellation reaches the node that runs the request (E7)", async (id) => {
    const { open, post, postStream } = await begin();
    const session = await open(revision);
    const stream = await postStream(0, session, call(id, "wait", { key: "c", text: "begun" }));
    await stream.message();
    const params = { requestId: id, reason: "test" };
    await post(1, session, { jsonrpc: "2.0", method: "notifications/cancelled", params });
    await until(() => aborts.includes("0 c"), "the cancellation");
  });

  it.each([1, "x".repeat(512)])("a request id runs one handler, though two nodes receive it (E5)", async (id) => {
    const { open, post, postStream } = await begin();
    const session = await open(revision);
    const stream = await postStream(0, session, call(id, "wait", { key: "twice", text: "begun" }));
    await stream.message();
    const repeated = await post(1, session, call(id, "wait", { key: "twice" }));
    expect([repeated.status, codeOf(repeated)]).toEqual([400, -32600]);
    gates.get("twice")?.("once");
    expect(textOf(await stream.message())).toBe("once");
    expect(starts).toEqual(["0 wait twice"]);
    expect((await post(1, session, call(id, "wait", { key: "twice" }))).status).toBe(400);
  });

  it.each([1, "x".repeat(512)])("the id of a rejected request may be used again", async (id) => {
    const { open, post } = await begin();
    const session = await open(revision);
    const wrong = { ...session, headers: { ...session.headers, "mcp-protocol-version": "2000-01-01" } };
    expect((await post(0, wrong, call(id, "echo", { text: "hi" }))).status).toBe(400);
    const repeat = async (): Promise<string> => textOf((await post(0, session, call(id, "echo", { text: "hi" }))).json);
    // The engine releases the id after the response.
    await expect.poll(repeat).toBe("hi");
  });

  it("DELETE at one node ends the requests of another, and the session on all", async () => {
    const { open, post, postStream, end } = await begin();
    const session = await open(revision);
    const stream = await postStream(0, session, call(1, "wait", { key: "d", text: "begun" }));
    await stream.message();
    expect((await end(1, session)).status).toBe(204);
    await until(() => aborts.includes("0 d"), "the end of the request");
    await stream.end();
    expect((await post(0, session, call(2, "echo", { text: "no" }))).status).toBe(404);
    expect((await post(1, session, call(3, "echo", { text: "no" }))).status).toBe(404);
  });
});

describe("streams of a session on several nodes", () => {
  it("a stream that is resumed at another node has what was missed, and then what follows (E1)", async () => {
    const { open, postStream, listen } = await begin();
    const session = await open();
    const stream = await postStream(0, session, call(1, "wait", { key: "r", text: "one" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    const resumed = await listen(1, session, id);
    expect(resumed.status).toBe(200);
    await delay(50);
    gates.get("r")?.("done");
    await resumed.end();
    expect(resumed.messages.map(textOf)).toEqual(["done"]);
  });

  it("a stream that is resumed at its first node again has what the other node sends (E1)", async () => {
    const { open, rigs, listen } = await begin();
    const session = await open();
    let stream = await listen(0, session);
    const { id } = await stream.next();
    for (const node of [1, 0]) {
      stream.cut();
      await delay(30);
      stream = await listen(node, session, id);
      expect(stream.status).toBe(200);
    }
    const other = rigs[1]?.connections.at(-1);
    if (!other) throw new Error("the other node has no connection");
    await changed(other);
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  it("a stream whose node is gone ends with an error, once, at whichever node it is resumed (E4)", async () => {
    const { open, postStream, listen, cutOff } = await begin(3);
    const session = await open();
    const stream = await postStream(0, session, call(7, "wait", { key: "gone", text: "one" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    await cutOff(0);
    stream.cut();
    await delay(lease + 100);
    const resumed = await Promise.all([listen(1, session, id), listen(2, session, id)]);
    for (const each of resumed) await each.end();
    const [first, second] = resumed.map(({ events }) => events.map(({ id: event, data }) => [event, data]));
    expect(resumed[0]?.messages).toMatchObject([{ id: 7, error: { code: -32603, data: { lost: true } } }]);
    expect(first).toEqual(second);
  });

  it("an orderly end of one node leaves the streams of a session to the others", async () => {
    const { open, rigs, postStream, listen } = await begin();
    const session = await open();
    const stream = await postStream(1, session, call(1, "wait", { key: "left", text: "one" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    await rigs[0]?.close();
    const resumed = await listen(1, session, id);
    expect(resumed.status).toBe(200);
    gates.get("left")?.("done");
    await resumed.end();
    expect(resumed.messages.map(textOf)).toEqual(["done"]);
  });

  it("a request that runs when its node is closed has an error as its response, at another node too", async () => {
    const { open, rigs, postStream, listen } = await begin();
    const session = await open();
    const stream = await postStream(0, session, call(1, "wait", { key: "closed", text: "one" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    await rigs[0]?.close();
    const resumed = await listen(1, session, id);
    await resumed.end();
    expect(resumed.messages).toHaveLength(1);
    expect(resumed.messages[0]).toMatchObject({ id: 1 });
  });

  it("a request without a stream whose node is closed has an error as its response, and its session goes on", async () => {
    nodes = await startNodes(2, toolsOf, { responseMode: "json" });
    const { open, rigs, post } = nodes;
    const session = await open("2025-06-18");
    const running = post(0, session, call(1, "wait", { key: "held" }));
    await until(() => starts.includes("0 wait held"), "the request");
    await rigs[0]?.listener.close();
    const { status, json } = await running;
    expect({ status, json }).toMatchObject({ status: 200, json: { id: 1 } });
    expect((await post(1, session, call(2, "echo", { text: "hi" }))).status).toBe(200);
  });

  it("a GET stream that is resumed at another node continues there, and receives messages of every node", async () => {
    const { open, listen, rigs } = await begin();
    const session = await open("2025-11-25");
    const stream = await listen(0, session);
    const { id } = await stream.next();
    stream.cut();
    const resumed = await listen(1, session, id);
    expect(resumed.status).toBe(200);
    await delay(20);
    const connection = rigs[0]?.listener.handler.sessions.get(session.id)?.connection;
    const row = connection?.session?.revision.serverNotifications["notifications/message"];
    if (!connection || !row) throw new Error("no connection");
    await connection.notify(row, { level: "error", data: "from the first node" });
    expect(await resumed.message()).toMatchObject({ params: { data: "from the first node" } });
  });

  it("streams are not found with the session of another client (E8)", async () => {
    const { open, postStream, listen } = await begin();
    const [mine, other] = [await open(), await open()];
    const stream = await postStream(0, mine, call(1, "wait", { key: "s", text: "secret" }));
    await stream.message();
    expect((await listen(1, other, stream.events.at(-1)?.id)).status).toBe(400);
  });
});

describe("nodes without their store", () => {
  it("requests are rejected with 503 and Retry-After while the store cannot be reached (E16)", async () => {
    const { open, post, cutOff } = await begin();
    const session = await open();
    await cutOff(1);
    const rejected = await post(1, session, call(1, "echo", { text: "no" }));
    expect([rejected.status, rejected.headers["retry-after"]]).toEqual([503, "1"]);
    expect(starts).toEqual([]);
  });
});
