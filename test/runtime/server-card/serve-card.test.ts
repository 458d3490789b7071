import type { RequestListener } from "node:http";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import {
  createServerCardReader,
  type ServerCardReaderOptions,
} from "../../../runtime/server-card/client/card-reader.ts";
import { createServerCard } from "../../../runtime/server-card/create-card.ts";
import { findCardDifferences } from "../../../runtime/server-card/differences.ts";
import { serveRaw } from "../../kit/raw-server.ts";
import { fullCard, smallCard } from "./cards.ts";

const definition = {
  name: "weather",
  version: "1.2.0",
  title: "Weather",
  description: "Weather of every town.",
  tools: [{ name: "secret_tool", scopes: ["admin"], execute: () => "Rain" }],
};
const server = createServer(definition, revisions);
const options = { name: "com.example/weather", url: "https://mcp.example.com/mcp" };

const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const raw = await serveRaw(listener);
  running.push(raw);
  return raw.origin;
}

describe("createServerCard", () => {
  it("describes the definition, without its tools", () => {
    const { card, catalog, documents } = createServerCard(server, options);
    expect(card).toEqual({
      ...smallCard,
      title: "Weather",
      remotes: [
        { type: "streamable-http", url: options.url, supportedProtocolVersions: revisions.map(({ id }) => id) },
      ],
    });
    expect(catalog.entries).toEqual([
      {
        identifier: "urn:air:example.com:mcp:weather",
        type: "application/mcp-server-card+json",
        displayName: "weather",
        url: "https://mcp.example.com/mcp/server-card",
      },
    ]);
    expect([...documents.keys()]).toEqual(["/mcp/server-card", "/.well-known/ai-catalog.json"]);
    expect(JSON.stringify([...documents])).not.toContain("secret_tool");
  });

  it.each([
    ["no name in reverse-DNS form", { url: options.url }, "name is not"],
    ["an insecure URL", { ...options, url: "http://mcp.example.com/mcp" }, "not secure"],
    ["credentials in the URL", { ...options, url: "https://a:b@mcp.example.com/mcp" }, "not the URL of an endpoint"],
    ["a query in the URL", { ...options, url: "https://mcp.example.com/mcp?key=1" }, "not the URL of an endpoint"],
    ["no URL", { ...options, url: "/mcp" }, "not the URL of an endpoint"],
    ["too long a description", { ...options, description: "x".repeat(101) }, "description has 101 characters"],
  ])("rejects %s", (_name, given, message) => {
    expect(() => createServerCard(server, given)).toThrow(message);
  });

  it("requires a description", () => {
    const plain = createServer({ name: "com.example/a", version: "1.0.0", tools: [] }, revisions);
    expect(() => createServerCard(plain, { url: options.url })).toThrow("has no description");
  });
});

describe("documents of an HTTP server", () => {
  it("documents are public beside an endpoint with authentication, with headers for pages and caches", async () => {
    const { documents, card } = createServerCard(server, options);
    const reject = () => ({ status: 401 });
    const listener = await serveHttp(server, { documents, authenticate: reject });
    running.push(listener);
    const place = `${listener.url}/server-card`;
    const response = await fetch(place);
    expect(await response.json()).toEqual(card);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/mcp-server-card+json",
      "cache-control": "public, max-age=3600",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "Content-Type, If-None-Match",
      "access-control-expose-headers": "ETag",
    });
    const tag = response.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\da-f]{16}"$/);
    for (const [sent, status] of [
      [tag, 304],
      [`W/${tag}`, 304],
      [`"other", ${tag}`, 304],
      ["*", 304],
      ['"other"', 200],
    ] as const) {
      const again = await fetch(place, { headers: { "if-none-match": sent } });
      expect([sent, again.status, again.headers.get("etag")]).toEqual([sent, status, tag]);
      expect((await again.text()) === "").toBe(status === 304);
    }
    expect((await fetch(place, { method: "OPTIONS" })).headers.get("access-control-allow-headers")).toContain(
      "If-None-Match",
    );
    expect((await fetch(place, { method: "POST" })).status).toBe(405);
    expect((await fetch(listener.url, { method: "POST" })).status).toBe(401);
    const catalog = await fetch(new URL("/.well-known/ai-catalog.json", place));
    expect(catalog.headers.get("content-type")).toBe("application/ai-catalog+json");
  });

  it("documents are absent by default, and rejected for hosts that are not allowed", async () => {
    const plain = createHttpHandler(server, { path: "/mcp" });
    const request = (host: string) => new Request(`http://${host}/mcp/server-card`);
    expect((await plain.fetch(request("localhost"))).status).toBe(404);
    const { documents } = createServerCard(server, options);
    const handler = createHttpHandler(server, { path: "/mcp", documents });
    expect((await handler.fetch(request("localhost"))).status).toBe(200);
    expect((await handler.fetch(request("evil.example"))).status).toBe(403);
  });
});

describe("createServerCardReader", () => {
  it("reads a catalog and its card, keeps them while they are fresh, and revalidates them", async () => {
    const seen: string[] = [];
    const requests: RequestListener = (request, response) => {
      seen.push(`${request.url} ${request.headers.accept} ${request.headers["if-none-match"] ?? "-"}`);
      const isKnown = request.headers["if-none-match"] === '"1"';
      const url = `http://${request.headers.host}/mcp/server-card`;
      const entry = { identifier: "urn:air:example.com:mcp:weather", type: "application/mcp-server-card+json", url };
      const isCatalog = request.url?.startsWith("/.well-known") ?? false;
      const headers = isCatalog ? { "cache-control": "max-age=60" } : { etag: '"1"', "cache-control": "max-age=0" };
      response.writeHead(isKnown ? 304 : 200, headers);
      response.end(isKnown ? "" : JSON.stringify(isCatalog ? { specVersion: "1.0", entries: [entry] } : fullCard));
    };
    const origin = await serve(requests);
    const reader = createServerCardReader();
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const _again of [1, 2]) {
      const [entry] = await reader.readCatalog(`${origin}/any/path`);
      expect(await reader.readCard(entry ?? "")).toEqual(fullCard);
      // Putting the wall clock forward ends no copy.
      vi.setSystemTime(Date.now() + 3_600_000);
    }
    vi.advanceTimersByTime(60_000);
    await reader.readCatalog(origin);
    expect(seen).toEqual([
      "/.well-known/ai-catalog.json application/ai-catalog+json, application/json;q=0.9 -",
      "/mcp/server-card application/mcp-server-card+json, application/json;q=0.9 -",
      '/mcp/server-card application/mcp-server-card+json, application/json;q=0.9 "1"',
      "/.well-known/ai-catalog.json application/ai-catalog+json, application/json;q=0.9 -",
    ]);
  });

  it("reads a card that a catalog contains", async () => {
    const entry = { identifier: "x", type: "application/mcp-server-card+json", data: smallCard };
    const origin = await serve((_request, response) =>
      response.end(JSON.stringify({ specVersion: "1.0", entries: [entry] })),
    );
    const reader = createServerCardReader();
    const [found] = await reader.readCatalog(origin);
    expect(await reader.readCard(found ?? "")).toEqual(smallCard);
  });

  it.each([
    [
      "a body without end",
      (response: Parameters<RequestListener>[1]) => {
        const timer = setInterval(() => response.write("x".repeat(64 * 1024)), 1);
        response.on("close", () => clearInterval(timer));
      },
      "longer than 262144 bytes",
    ],
    [
      "a redirect in circles",
      (response: Parameters<RequestListener>[1]) => response.writeHead(302, { location: "/" }).end(),
      "redirects more than 2 times",
    ],
    [
      "a redirect to another network",
      (response: Parameters<RequestListener>[1]) => response.writeHead(302, { location: "https://10.0.0.1/" }).end(),
      "private address 10.0.0.1 is not allowed",
    ],
    ["an error", (response: Parameters<RequestListener>[1]) => response.writeHead(404).end(), "HTTP 404"],
    ["no card", (response: Parameters<RequestListener>[1]) => response.end("{}"), "has no $schema"],
  ] as const)("rejects %s", async (_name, respond, message) => {
    const origin = await serve((_request, response) => void respond(response));
    await expect(createServerCardReader().readCard(origin)).rejects.toThrow(message);
  });

  it("rejects no response in time", async () => {
    const origin = await serve(() => {});
    await expect(createServerCardReader({ timeout: 50 }).readCard(origin)).rejects.toThrow("took longer than 50 ms");
  });

  it.each([
    ["https://example.com", "http://127.0.0.1:8080/mcp/server-card", "loopback"],
    ["https://example.com", "http://localhost:8080/mcp/server-card", "loopback"],
    ["https://example.com", "https://10.0.0.1/mcp/server-card", "private"],
    ["https://[::1]", "https://10.0.0.1/mcp/server-card", "private"],
  ])("does not follow the catalog of %s to %s", async (domain, url, network) => {
    const fetched: string[] = [];
    const entry = { identifier: "x", type: "application/mcp-server-card+json", url };
    const fetch: ServerCardReaderOptions["fetch"] = (place) => {
      fetched.push(place.href);
      return Promise.resolve(Response.json({ specVersion: "1.0", entries: [entry] }));
    };
    const reader = createServerCardReader({ fetch });
    const [found] = await reader.readCatalog(domain);
    await expect(reader.readCard(found ?? "")).rejects.toThrow(`The ${network} address`);
    // An entry whose catalog is not known may be in the internet only.
    await expect(reader.readCard(entry)).rejects.toThrow(`The ${network} address`);
    expect(fetched).toEqual([`${domain}/.well-known/ai-catalog.json`]);
  });

  it("sends no request to an address that a card may not be at", async () => {
    const fetched: string[] = [];
    const reader = createServerCardReader({
      fetch: (url) => {
        fetched.push(url.href);
        return Promise.resolve(new Response("{}"));
      },
    });
    for (const url of ["http://example.com/mcp/server-card", "file:///etc/passwd", "https://a:b@example.com/", "x"])
      await expect(reader.readCard(url)).rejects.toThrow();
    expect(fetched).toEqual([]);
  });
});

describe("findCardDifferences", () => {
  const { card } = createServerCard(server, options);
  const info = { name: "weather", version: "1.2.0", title: "Weather" };

  it("finds none for the server itself", () => {
    const ids = revisions.map(({ id }) => id);
    expect(findCardDifferences(card, { info: server.info, revisions: ids, url: options.url })).toEqual([]);
    expect(findCardDifferences(card, { info: { ...info, name: "com.example/weather" } })).toEqual([]);
  });

  it.each([
    ["name", { info: { ...info, name: "sun" } }, { card: "weather", server: "sun" }],
    [
      "name",
      { info: { ...info, name: "com.other/weather" } },
      { card: "com.example/weather", server: "com.other/weather" },
    ],
    ["version", { info: { ...info, version: "2.0.0" } }, { card: "1.2.0", server: "2.0.0" }],
    ["title", { info: { ...info, title: "Sun" } }, { card: "Weather", server: "Sun" }],
    [
      "remotes",
      { info, url: "https://other.example.com/mcp" },
      { card: options.url, server: "https://other.example.com/mcp" },
    ],
    [
      "supportedProtocolVersions",
      { info, url: options.url, revisions: [revisions[0]?.id ?? ""] },
      { server: revisions[0]?.id },
    ],
  ] as const)("finds another %s", (member, reached, values) => {
    expect(findCardDifferences(card, reached)).toMatchObject([{ member, ...values }]);
  });
});
