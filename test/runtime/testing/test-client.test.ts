import { expect, test } from "vitest";
import { revision as newest, type Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { createHttpHandler, forRevisions } from "../../../runtime/index.ts";
import { openFetch } from "../../../runtime/testing/links/http-links.ts";
import { createServerTests } from "../../../runtime/testing/server-tests.ts";
import type { TestClientOptions } from "../../../runtime/testing/test-client.ts";

const older = revisions.filter(({ id }) => id === "2025-11-25");
const served = [newest, ...older];
const { defineServer, defineTool } = forRevisions<Declarations>(served);

const greet = defineTool({
  name: "greet",
  async execute(_none, { elicit }) {
    const { content } = await elicit("What is your name?", {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    });
    return `Hello, ${String(content?.name)}!`;
  },
});
const summarize = defineTool({
  name: "summarize",
  async execute(_none, { sample }) {
    const message = { role: "user", content: { type: "text", text: "Summarize." } } as const;
    const { content } = await sample({ messages: [message], maxTokens: 10 });
    return JSON.stringify(content);
  },
});

const server = defineServer({ name: "asking", version: "1.0.0", tools: [greet, summarize] });

function createTests(): ReturnType<typeof createServerTests> {
  const handler = createHttpHandler(server);
  const http = { url: "http://localhost/mcp", send: handler.fetch, end: () => Promise.resolve(0) };
  const links = { fetch: async (revision: string) => openFetch(http, { revision }) };
  return createServerTests({ revisions: served, links, only: { other: [] } });
}

const { Client, cases, connect, close } = createTests();

async function call(each: (typeof cases)[number], name: string, options: TestClientOptions = {}): Promise<unknown> {
  const client = new Client(await each.open(each.revision), options);
  expect(await client.open(each.revision)).toMatchObject({ name: "asking" });
  const { result } = await client.ask("tools/call", { name, arguments: {} });
  expect(await client.end()).toBe(0);
  return result;
}

test("a test client has a case for each revision", () => {
  expect(cases.map(({ over, revision }) => [over, revision])).toEqual(served.map(({ id }) => ["fetch", id]));
});

test.each(cases)("a test client of revision $revision responds to elicitation", async (each) => {
  const handlers = { "elicitation/create": () => ({ action: "accept", content: { name: "Ada" } }) };
  expect(await call(each, "greet", { handlers })).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test.each(cases)("a test client of revision $revision responds to sampling", async (each) => {
  const content = { type: "text", text: "Short." };
  const sample = { role: "assistant", content, model: "none" };
  const seen: unknown[] = [];
  const handlers = { "sampling/createMessage": (params: object) => (seen.push(params), sample) };
  expect(JSON.stringify(await call(each, "summarize", { handlers }))).toContain("Short.");
  expect(seen).toMatchObject([{ maxTokens: 10 }]);
});

test.each(cases)("a test client of revision $revision without handlers declares no capabilities", async (each) => {
  const client = new Client(await each.open(each.revision));
  await client.open(each.revision);
  const { result, error } = await client.ask("tools/call", { name: "greet", arguments: {} });
  expect(JSON.stringify(error ?? result?.content)).toContain("elicitation");
  expect(result?.isError ?? true).toBe(true);
});

test("test clients of one case are shared, and end with their servers", async () => {
  for (const each of cases) expect(await connect(each)).toBe(await connect(each));
  await close();
});

test("a test client rejects a server that does not support its revision", async () => {
  const [each] = cases;
  const link = await each?.open("2024-11-05");
  if (!link) throw new Error("no case");
  await expect(new Client(link).open("2024-11-05")).rejects.toThrow("The server does not support 2024-11-05");
});
