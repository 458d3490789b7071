import dns from "node:dns";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { runDiff } from "../../../cli/commands/diff.ts";
import { createGatewayCard } from "../../../tools/live/gateway-card.ts";
import { listenAt } from "../../../tools/live/gateway-listener.ts";
import { resolveCard } from "../../../tools/live/server-card.ts";
import { describeTarget, readTarget } from "../../../tools/live/target.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createServerCardReader } from "../../../runtime/server-card/client/card-reader.ts";
import { createServerCard } from "../../../runtime/server-card/create-card.ts";
import { fullCard, smallCard } from "../../runtime/server-card/cards.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { captured, client } from "../../kit/commands.ts";
import { serveRaw, type Running } from "../../kit/raw-server.ts";

const running: Pick<Running, "close">[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

/** Addresses of names: a test looks nothing up in the network. */
function setAddresses(addresses: Readonly<Record<string, readonly string[]>>): void {
  const { lookup } = dns.promises;
  const find = async (host: string): Promise<readonly dns.LookupAddress[]> => {
    const found = isIP(host) === 0 ? addresses[host] : [host];
    if (!found) throw new Error(`${host} has no address`);
    return found.map((address) => ({ address, family: isIP(address) }));
  };
  const replace = (changed: object): void => {
    Object.assign(dns.promises, changed);
    syncBuiltinESMExports();
  };
  replace({ lookup: find });
  onTestFinished(() => replace({ lookup }));
}

const rain = { name: "rain", description: "Says if it rains.", execute: () => "No" };
const definition = { name: "weather", version: "1.2.0", description: "Weather of every town.", tools: [rain] };
const server = createServer(definition, revisions);

async function serve(): Promise<string> {
  const listener = await serveHttp(server);
  running.push(listener);
  return listener.url;
}

/** Serves text at every path. */
async function serveText(read: (url: string) => string): Promise<URL> {
  const raw = await serveRaw((request, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(read(`http://${request.headers.host}${request.url}`));
  });
  running.push(raw);
  return new URL(raw.url);
}

function writeCard(card: object): string {
  const path = join(temporaryFolder(), "server-card.json");
  writeFileSync(path, JSON.stringify(card));
  return path;
}

function cardFor(url: string, more: object = {}): object {
  return { ...smallCard, remotes: [{ type: "streamable-http", url, ...more }] };
}

async function resolve(word: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return describeTarget(await resolveCard(readTarget([word]), { headers }));
}

describe("a Server Card as the address of a server", () => {
  test("a file, the URL of a card and a catalog with one card lead to the endpoint in it", async () => {
    const endpoint = "http://127.0.0.1:9/mcp";
    const card = JSON.stringify(cardFor(endpoint));
    const type = "application/mcp-server-card+json";
    const { origin } = await serveText((url) =>
      url.includes("ai-catalog")
        ? JSON.stringify({
            specVersion: "1.0",
            entries: [{ identifier: "x", type, url: `${new URL(url).origin}/mcp/server-card` }],
          })
        : card,
    );
    expect(await resolve(writeCard(cardFor(endpoint)))).toBe(endpoint);
    expect(await resolve(`${origin}/mcp/server-card`)).toBe(endpoint);
    expect(await resolve(`${origin}/.well-known/ai-catalog.json`)).toBe(endpoint);
    expect(await resolve(`${origin}/mcp`)).toBe(`${origin}/mcp`);
  });

  test("variables of the endpoint get the values of the card", async () => {
    const variables = { host: { default: "a.example" }, path: { value: "x y" } };
    expect(await resolve(writeCard(cardFor("https://{host}/{path}", { variables })))).toBe("https://a.example/x%20y");
  });

  test.each([
    ["no endpoint", smallCard, {}, "has no endpoint; pass the address"],
    ["a variable without a value", cardFor("https://{host}/mcp"), {}, "needs a value for {host}"],
    [
      "a required header that is missing",
      cardFor("https://a.b/mcp", { headers: [{ name: "X-Key", isRequired: true }] }),
      {},
      "--header-env X-Key=VARIABLE",
    ],
    ["an invalid card", { ...fullCard, name: "x" }, {}, "The server card is invalid: name"],
  ] as const)("a file with %s is rejected", async (_name, card, headers, message) => {
    await expect(resolve(writeCard(card), headers)).rejects.toThrow(message);
  });

  test("a card cannot lead to another network, nor credentials to another origin", async () => {
    const inside = await serveText(() => JSON.stringify(cardFor("https://192.168.0.1/mcp")));
    await expect(resolve(`${inside.origin}/server-card`)).rejects.toThrow("private address 192.168.0.1 is not allowed");
    const outside = await serveText(() => JSON.stringify(cardFor("https://example.com/mcp")));
    await expect(resolve(`${outside.origin}/server-card`, { Authorization: "secret" })).rejects.toThrow(
      "the card names https://example.com, and headers are sent only to the address that you pass; pass https://example.com/mcp",
    );
    setAddresses({ "example.com": ["8.8.8.8"] });
    expect(await resolve(`${outside.origin}/server-card`)).toBe("https://example.com/mcp");
  });

  test.each([
    ["only a private address", ["10.0.0.1"], "private"],
    ["a private address beside a public one", ["8.8.8.8", "10.0.0.1"], "private"],
    ["a link-local address before a public one", ["169.254.169.254", "8.8.8.8"], "link-local"],
    ["a mapped private address", ["::ffff:10.0.0.1"], "private"],
    ["a translated private address", ["64:ff9b::a00:1"], "reserved"],
  ])("a card cannot lead to a name with %s", async (_, addresses, network) => {
    setAddresses({ "inside.example": addresses });
    const { origin } = await serveText(() => JSON.stringify(cardFor("https://inside.example/mcp")));
    await expect(resolve(`${origin}/server-card`)).rejects.toThrow(
      `The ${network} address inside.example is not allowed`,
    );
  });

  test("a card leads to a name that has no address here: the connection reports it", async () => {
    setAddresses({});
    const { origin } = await serveText(() => JSON.stringify(cardFor("https://nowhere.example/mcp")));
    expect(await resolve(`${origin}/server-card`)).toBe("https://nowhere.example/mcp");
  });

  test("`client` generates a client of the server behind a card", async () => {
    const out = join(temporaryFolder(), "client");
    const { code, stderr } = await client([writeCard(cardFor(await serve()))], { out });
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("`diff` of Server Cards", () => {
  const diff = (older: string, newer: string) =>
    captured(() => runDiff({ older, newer, format: "text", failOn: "breaking" }));

  test("two cards are compared without a connection", async () => {
    const after = { ...fullCard, title: "Sun", remotes: [{ ...fullCard.remotes[0], supportedProtocolVersions: [] }] };
    const { code, stdout } = await diff(writeCard(fullCard), writeCard(after));
    expect(stdout).toContain('title changed from "Weather" to "Sun"');
    expect(stdout).toContain(`revision ${fullCard.remotes[0].supportedProtocolVersions[0]} removed`);
    expect(code).toBe(1);
    expect((await diff(writeCard(fullCard), writeCard(fullCard))).code).toBe(0);
  });

  const url = "https://example.com/mcp";
  const http = { type: "streamable-http", url };
  const sse = { type: "sse", url };
  const template = { ...http, url: "https://{region}.example.com/mcp" };
  const key = { name: "X-Key", isRequired: true };
  test.each([
    ["another order", [http, sse], [sse, http], "no difference", 0],
    ["a transport less", [http, sse], [http], `breaking  remote ${url} (sse): removed`, 1],
    ["a transport more", [http], [http, sse], `additive  remote ${url} (sse): added`, 0],
    ["a required header", [http], [{ ...http, headers: [key] }], "header x-key is required", 1],
    [
      "a header less",
      [{ ...http, headers: [key] }],
      [http],
      "neutral   remote https://example.com/mcp: header x-key removed",
      0,
    ],
    [
      "a variable without a default",
      [{ ...template, variables: { region: { default: "eu" } } }],
      [{ ...template, variables: { region: {} } }],
      "variable region is required",
      1,
    ],
    [
      "a list of revisions less",
      [{ ...http, supportedProtocolVersions: ["2025-11-25"] }],
      [http],
      'neutral   remote https://example.com/mcp: supportedProtocolVersions changed from ["2025-11-25"] to nothing',
      0,
    ],
  ])("endpoints of two cards are compared: %s", async (_what, before, after, line, exitCode) => {
    const [older, newer] = [before, after].map((remotes) => writeCard({ ...smallCard, remotes }));
    const { code, stdout } = await diff(older ?? "", newer ?? "");
    expect(stdout).toContain(line);
    expect(code).toBe(exitCode);
  });

  test("a card is compared with its server", async () => {
    const url = await serve();
    const { card } = createServerCard(server, { name: "com.example/weather", url });
    const { code, stdout } = await diff(writeCard({ ...card, version: "1.0.0" }), url);
    expect([code, stdout]).toEqual([0, expect.stringContaining('version changed from "1.0.0" to "1.2.0"')]);
    expect(stdout).not.toContain("name changed");
    expect((await diff(url, writeCard(card))).stdout).not.toContain("changed");
  });
});

describe("the Server Card of a gateway", () => {
  test("a gateway serves its own revisions, and leaves out what does not fit into a card", async () => {
    const odd = {
      name: "x".repeat(300),
      version: "1.0.0",
      title: "<b>Odd</b>",
      description: "y".repeat(200),
      tools: [],
    };
    const behind = await serveHttp(createServer(odd, revisions.slice(-2)));
    running.push(behind);
    const gateway = await createGateway({ kind: "url", url: behind.url }, { revisions });
    running.push(gateway);
    const documents = createGatewayCard(gateway, { card: "com.example/odd", publicUrl: "https://mcp.example.com/odd" });
    const listener = await listenAt(
      gateway,
      { kind: "http", host: "127.0.0.1", port: 0 },
      { ...(documents && { documents }) },
    );
    running.push(listener);
    const card = await createServerCardReader().readCard(`${listener.url}/server-card`);
    expect(card).toMatchObject({ name: "com.example/odd", version: "1.0.0", description: "MCP server" });
    expect(card.title).toBeUndefined();
    expect(card.remotes).toEqual([
      {
        type: "streamable-http",
        url: "https://mcp.example.com/odd",
        supportedProtocolVersions: revisions.map(({ id }) => id),
      },
    ]);
    expect(createGatewayCard(gateway, {})).toBeUndefined();
    expect(() => createGatewayCard(gateway, { card: "com.example/odd" })).toThrow("--public-url");
    expect(() => createGatewayCard(gateway, { card: "odd", publicUrl: "https://a.b/mcp" })).toThrow(
      "name in reverse-DNS form",
    );
    expect(() => createGatewayCard(gateway, { card: "a/b", publicUrl: "http://a.b/mcp" })).toThrow("not secure");
  });
});
