import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { revisions } from "../../generated/revisions.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import type { ClientConnection } from "../../runtime/client/connect.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../runtime/gateway/serve.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../runtime/server/run/http-handler.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";

/* Clients number their requests alike. All of them share one definition, one handler in an application, and one gateway. */

const { defineTool } = forRevisions<Declarations>(revisions);

interface Call {
  readonly text: string;
  respond(): void;
}

const calls: Call[] = [];

/** Server whose only tool sends the length of its argument as progress, and returns the argument when the test says so. */
function createHoldingServer(): ReturnType<typeof createServer> {
  const hold = defineTool({
    name: "hold",
    description: "Returns its argument.",
    inputSchema: z.object({ text: z.string() }),
    async execute({ text }, { progress }) {
      await progress(text.length);
      return new Promise<string>((resolve) => calls.push({ text, respond: () => resolve(text) }));
    },
  });
  return createServer({ name: "test", version: "1", tools: [hold] }, revisions);
}

interface Place {
  readonly url: string;
  readonly fetch?: typeof fetch;
}

const places: readonly (readonly [name: string, open: () => Promise<Place>])[] = [
  [
    "a handler in an application",
    async () => {
      const handler = createHttpHandler(createHoldingServer(), { allowedHosts: ["app.example"] });
      onTestFinished(() => handler.close());
      return { url: "http://app.example/mcp", fetch: (input, init) => handler.fetch(new Request(input, init)) };
    },
  ],
  [
    "a gateway",
    async () => {
      const server = await serveHttp(createHoldingServer());
      onTestFinished(() => server.close());
      const gateway = await createGateway({ kind: "url", url: server.url }, { revisions });
      onTestFinished(() => gateway.close());
      const listener = await serveGatewayHttp(gateway);
      onTestFinished(() => listener.close());
      return { url: listener.url };
    },
  ],
];

async function connectAt(place: Place, id: string): Promise<ClientConnection> {
  const served = revisions.filter((revision) => revision.id === id);
  const client = await connectHttp(place.url, { ...place, info: { name: "test", version: "1" }, revisions: served });
  onTestFinished(() => client.close());
  return client;
}

const cases = places.flatMap(([name, open]) => revisions.map(({ id }) => [name, id, open] as const));

test.each(cases)(
  "clients with equal ids get their own responses and progress through %s at %s",
  async (_name, id, open) => {
    const place = await open();
    const texts = ["one", "second", "the third"];
    const seen: number[][] = texts.map(() => []);
    const clients = await Promise.all(texts.map(() => connectAt(place, id)));
    const results = clients.map((client, at) =>
      client.request(
        "tools/call",
        { name: "hold", arguments: { text: texts[at] } },
        { onProgress: ({ progress }) => seen[at]?.push(progress) },
      ),
    );
    await expect.poll(() => calls.length).toBe(texts.length);
    // The last one gets its response first.
    for (const { respond } of calls.splice(0).sort((one, other) => texts.indexOf(other.text) - texts.indexOf(one.text)))
      respond();
    for (const [at, result] of results.entries())
      expect(await result).toMatchObject({ content: [{ text: texts[at] }] });
    expect(seen).toEqual([[3], [6], [9]]);
  },
);
