import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { createGate, inTime } from "../../kit/time.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { override } from "../../kit/override.ts";
import { acceptBoth, call, initialize, textOf } from "../../kit/http-exchange.ts";
import { requestRoots, log, start, type Rig, type Tool } from "../../kit/http-server.ts";
import { initialized } from "../../kit/messages.ts";

/** Starts a node whose sessions have room for a few streams in the store. */
async function startNode(tools: Record<string, Tool>, maxOpenStreams: number): Promise<Rig> {
  const cluster = await joinCluster(createMemoryCluster({ maxOpenStreams }).connect());
  onTestFinished(() => cluster.close());
  const rig = await start(tools, { cluster });
  onTestFinished(() => rig.close());
  return rig;
}

const tools: Record<string, Tool> = {
  async talk(context) {
    await log(context, "one");
    return "done";
  },
  roots: async (context) => JSON.stringify(await requestRoots(context)),
};

test("a client may open streams by GET as often as it likes, one after the other", async () => {
  const rig = await startNode(tools, 4);
  const session = await rig.open();
  for (let time = 0; time < 12; time += 1) {
    const stream = await session.listen();
    expect((await stream.next()).id).toBeDefined();
    stream.cut();
    await stream.end();
  }
  const stream = await session.postStream(call(1, "talk"));
  await stream.end();
  expect(stream.events.at(-1)?.id).toBeDefined();
  expect(textOf(stream.messages.at(-1))).toBe("done");
});

test("a client that resumes a stream which it has replaced gets status 400, so that it opens another", async () => {
  const rig = await startNode(tools, 4);
  const session = await rig.open();
  const replaced = await session.listen();
  const { id = "" } = await replaced.next();
  for (let time = 0; time < 2; time += 1) await (await session.listen()).next();
  await replaced.end();
  await expect.poll(async () => (await session.listen(id)).status).toBe(400);
});

test("a call gets its messages and its response, though its session has as many streams as the store keeps", async () => {
  const rig = await startNode(tools, 1);
  const session = await rig.open();
  const listener = await session.listen();
  await listener.next();
  const stream = await session.postStream(call(1, "roots"));
  const { id, method } = await stream.message();
  expect(method).toBe("roots/list");
  expect((await session.post({ jsonrpc: "2.0", id, result: { roots: [] } })).status).toBe(202);
  await stream.end();
  expect(textOf(stream.messages.at(-1))).toBe('{"roots":[]}');
  expect(stream.text).not.toMatch(/^id:/m);
  const second = await session.listen();
  await session.post(call(2, "talk"));
  expect([second.status, second.isEnded]).toEqual([200, false]);
});

/** Starts a server on a node, without a port. */
async function serve(engine: Engine): Promise<{
  readonly server: Server;
  fetch(method: string, headers: Record<string, string>, body?: object): Promise<Response>;
}> {
  const cluster = await joinCluster(engine);
  const server = createServer({ name: "demo", version: "1", listChanged: ["tools", "prompts"] }, revisions);
  const handler = createHttpHandler(server, { cluster });
  onTestFinished(async () => {
    await handler.close({ drain: 0 });
    await cluster.close();
  });
  return {
    server,
    fetch(method, headers, body) {
      const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
      const init = { method, headers: fields, ...(body && { body: JSON.stringify(body) }) };
      return handler.fetch(new Request("http://localhost/mcp", init));
    },
  };
}

/** Reads a stream until it has each of these texts. */
async function readUntil({ body }: Response, texts: readonly string[]): Promise<string> {
  let read = "";
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    read += decoder.decode(part, { stream: true });
    if (texts.every((text) => read.includes(text))) return read;
  }
  return read;
}

test("changes while another node adopts the stream of a session reach its client", async () => {
  const memory = createMemoryCluster();
  const [first, second] = [memory.connect(), memory.connect()];
  const [fenced, adopting, adopt, received] = [createGate(), createGate(), createGate(), createGate()];
  const writing = override(first.events, {
    async append(...given) {
      const outcome = await first.events.append(...given);
      if (outcome === "fenced") fenced.open();
      return outcome;
    },
  });
  const adoptingLate = override(second.events, {
    async adopt(...given) {
      const adopted = await second.events.adopt(...given);
      adopting.open();
      await adopt.opened;
      return adopted;
    },
  });
  const receiving = override(second.nodes, {
    receive: (node, receiver, ...rest) =>
      second.nodes.receive(
        node,
        override(receiver, {
          broadcastReceived(broadcast, position) {
            receiver.broadcastReceived(broadcast, position);
            if (broadcast.kind === "notification" && broadcast.handler === "promptListChanged") received.open();
          },
        }),
        ...rest,
      ),
  });
  const writer = await serve(override(first, { events: writing }));
  const adopter = await serve(override(second, { events: adoptingLate, nodes: receiving }));
  const opened = await writer.fetch("POST", {}, initialize("2025-11-25"));
  const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await writer.fetch("POST", headers, initialized);
  const listener = await writer.fetch("GET", headers);
  const [, last = ""] = /^id: (.+)$/m.exec(await readUntil(listener, ["id: "])) ?? [];
  const resumed = adopter.fetch("GET", { ...headers, "last-event-id": last });
  await adopting.opened;
  writer.server.tools.notifyListChanged();
  await fenced.opened;
  await settle();
  writer.server.prompts.notifyListChanged();
  await received.opened;
  adopt.open();
  const changes = ["tools/list_changed", "prompts/list_changed"];
  await inTime(readUntil(await resumed, changes), "the receipt of the changes");
});
