import { expect, test } from "vitest";
import { checkServerCard } from "../../../tools/check/server-card.ts";
import { fullCard, smallCard } from "../../runtime/server-card/cards.ts";
import { serveRaw } from "../../kit/raw-server.ts";

const info = { name: "weather", version: "1.2.0" };
const card = { ...smallCard };
const type = "application/mcp-server-card+json";
const good = {
  "content-type": type,
  "access-control-allow-origin": "*",
  "cache-control": "public, max-age=60",
  etag: '"1"',
};

interface Served {
  readonly card?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly catalog?: unknown;
  readonly honorsTags?: boolean;
  readonly status?: number;
}

/** Checks a server with these documents. Returns the findings. */
async function check({
  card: own,
  headers = good,
  catalog,
  honorsTags = true,
  status = 200,
}: Served): Promise<readonly string[]> {
  const server = await serveRaw((request, response) => {
    const value =
      request.url === "/mcp/server-card" ? own : request.url === "/.well-known/ai-catalog.json" ? catalog : undefined;
    if (value === undefined) return response.writeHead(404, { "content-type": "application/json" }).end("{}");
    if (honorsTags && request.headers["if-none-match"] === '"1"') return response.writeHead(304).end();
    return response.writeHead(status, headers).end(typeof value === "string" ? value : JSON.stringify(value));
  });
  try {
    const results = await checkServerCard(
      { url: new URL(server.url), timeout: 50_000 },
      { info, revisions: ["2025-11-25"] },
    );
    return results.flatMap(({ findings }) =>
      findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`),
    );
  } finally {
    await server.close();
  }
}

const entry = { identifier: "urn:air:example.com:mcp:weather", type, url: "https://example.com/mcp/server-card" };
const catalog = { specVersion: "1.0", entries: [entry] };

test.each<readonly [string, Served, readonly string[]]>([
  ["no documents", {}, []],
  ["a page instead of a card", { card: "<html>", headers: { "content-type": "text/html" } }, []],
  ["a card that needs a login", { card, status: 401 }, []],
  ["a good card and catalog", { card, catalog }, []],
  [
    "an invalid card",
    { card: { ...card, name: "weather" } },
    [
      "error server-card: The server card is invalid: name is not a name in reverse-DNS form with one slash, such as com.example/weather",
    ],
  ],
  [
    "another version",
    { card: { ...card, version: "1.0.0" } },
    ['warning server-card-agrees: the card has "1.0.0", the server "1.2.0"'],
  ],
  [
    "another endpoint",
    { card: { ...card, remotes: [{ type: "sse", url: "https://example.com/sse" }] } },
    [expect.stringContaining('warning server-card-agrees: the card has "https://example.com/sse"')],
  ],
  ["an endpoint with variables", { card: fullCard }, []],
  [
    "no CORS",
    { card, headers: { ...good, "access-control-allow-origin": "https://a.b" } },
    ["error server-card-headers: pages of other origins cannot read it"],
  ],
  [
    "another media type",
    { card, headers: { ...good, "content-type": "application/json" } },
    ['warning server-card-headers: its media type is "application/json"'],
  ],
  [
    "no caching",
    { card, headers: { "content-type": type, "access-control-allow-origin": "*" } },
    [
      "warning server-card-headers: it has no Cache-Control with max-age",
      "warning server-card-headers: it has no ETag",
    ],
  ],
  [
    "a tag that is ignored",
    { card, honorsTags: false },
    ["warning server-card-headers: If-None-Match with its ETag does not return 304"],
  ],
  [
    "an invalid catalog",
    { catalog: { specVersion: "9.0", entries: [] } },
    ["warning server-catalog: The catalog is invalid: specVersion is not a known version"],
  ],
  [
    "a catalog without the card",
    { card, catalog: { specVersion: "1.0", entries: [] } },
    ["note server-catalog: it does not list /mcp/server-card"],
  ],
])("%s", async (_name, served, findings) => {
  expect(await check(served)).toEqual(findings);
});
