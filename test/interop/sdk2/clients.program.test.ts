import { afterEach, describe, expect, test } from "vitest";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { connectV1, connectV2, type OfficialClient, type Place } from "../../kit/official-clients.ts";
import { createOurServer } from "../our-server.ts";
import { createProgram } from "../../kit/programs.ts";
import { text } from "../../kit/messages.ts";

const script = await createProgram(new URL("../our-stdio-server.ts", import.meta.url));
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(kind: "stdio" | "HTTP" | "HTTP with JSON responses", ids: readonly string[]): Promise<Place> {
  if (kind === "stdio") {
    const args = [script, ...ids];
    return { kind: "stdio", command: process.execPath, args };
  }
  const responseMode = kind === "HTTP" ? "auto" : "json";
  const listener = await serveHttp(createOurServer(ids), { port: 0, responseMode: responseMode });
  open.push(() => listener.close());
  return { kind: "http", url: listener.url };
}

async function keep(connecting: Promise<OfficialClient>): Promise<OfficialClient> {
  const client = await connecting;
  open.push(() => client.close());
  return client;
}

async function exercise(client: OfficialClient, id: string): Promise<void> {
  await client.ping();
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["echo", "sum", "wait"]));
  expect(await client.call("echo", { text: "ä€😀\u2028\n" })).toMatchObject(text("ä€😀\u2028\n"));
  expect(await client.call("echo", { text: 1 })).toMatchObject({ isError: true });
  expect(await client.call("sum", { a: 1, b: 2 })).toMatchObject(text('{"sum":3}'));
  await expect(client.call("nobody")).rejects.toMatchObject({ code: -32602 });
  expect(await client.listResources()).toMatchObject({ resources: [{ uri: "test://a" }, { uri: "test://aborted" }] });
  expect(await client.listResourceTemplates()).toMatchObject({
    resourceTemplates: [{ uriTemplate: "test://items/{id}" }],
  });
  expect(await client.readResource({ uri: "test://items/7" })).toMatchObject({ contents: [{ text: "item 7" }] });
  await expect(client.readResource({ uri: "test://none" })).rejects.toThrow("Resource not found");
  expect(await client.listPrompts()).toMatchObject({ prompts: [{ name: "greet" }] });
  expect(await client.getPrompt({ name: "greet", arguments: { whom: "you" } })).toMatchObject({
    messages: [{ role: "user", content: { type: "text", text: "Hello you" } }],
  });
  const ref = { type: "ref/resource", uri: "test://items/{id}" } as const;
  const completed = await client.complete({ ref, argument: { name: "id", value: "1" } });
  expect(completed).toMatchObject({ completion: { values: ["1", "12"] } });
  if (id >= "2025-06-18") expect(names).toContain("form");
  else expect(names).not.toContain("form");
}

async function exerciseBothWays(client: OfficialClient, id: string): Promise<void> {
  const seen: number[] = [];
  await client.call("progress", {}, { onprogress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([1, 2, 3]);
  expect(await client.call("sample")).toMatchObject(text('{"type":"text","text":"42"}'));
  expect(await client.call("roots")).toMatchObject(text('[{"uri":"file:///home"}]'));
  if (id >= "2025-06-18") {
    expect(await client.call("form")).toMatchObject(text('{"action":"accept","content":{"name":"me"}}'));
  }
  await client.setLoggingLevel("warning");
  await client.call("log");
  await client.subscribeResource({ uri: "test://a" });
  await client.call("change");
  await expect.poll(() => [...client.received].sort()).toEqual(["error", "test://a", "tools"]);
  await client.unsubscribeResource({ uri: "test://a" });
  await client.subscribeResource({ uri: "test://aborted" });
  const stop = new AbortController();
  const waiting = client.call("wait", {}, { signal: stop.signal });
  const received = (): number => client.received.filter((what) => what === "test://aborted").length;
  waiting.catch(() => {});
  await expect.poll(received).toBe(1);
  stop.abort("enough");
  await expect(waiting).rejects.toBeDefined();
  await expect.poll(received).toBe(2);
  await client.ping();
}

const clients = [
  ["first", connectV1],
  ["second", connectV2],
] as const;

describe.each(handshakeRevisions)("at $id", ({ id }) => {
  describe.each(clients)("the official client of the %s generation", (_generation, connect) => {
    test.each(["stdio", "HTTP"] as const)(
      "an official client uses our server over %s, with requests and notifications both ways",
      async (kind) => {
        const client = await keep(connect(await start(kind, [id])));
        expect(client.revision).toBe(id);
        await exercise(client, id);
        await exerciseBothWays(client, id);
      },
    );

    test("an official client uses our server over HTTP with JSON responses", async () => {
      await exercise(await keep(connect(await start("HTTP with JSON responses", [id]))), id);
    });
  });
});

test.each(["stdio", "HTTP"] as const)(
  "the official client of the second generation, which tries newer revisions first, falls back to a handshake over %s (L-08)",
  async (kind) => {
    const place = await start(
      kind,
      handshakeRevisions.map(({ id }) => id),
    );
    const client = await keep(connectV2(place, "auto"));
    expect(client.revision).toBe(newest.id);
    await exercise(client, newest.id);
  },
);

test.each([
  ["first", connectV1],
  ["second", connectV2],
])(
  "the official client of the %s generation receives the last progress before the result on stdio",
  async (_, connect) => {
    const client = await keep(connect(await start("stdio", [newest.id])));
    const received: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      const onprogress = ({ progress }: { readonly progress: number }): void => void received.push(progress);
      await client.call("report", {}, { onprogress });
    }
    // A client that is kept from reading for long enough may still read both at once: without a piece for each, none is ever heard.
    expect(received.filter((step) => step === 3).length).toBeGreaterThan(5);
  },
);
