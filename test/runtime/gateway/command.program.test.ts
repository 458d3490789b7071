import { createServer } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { connectV1, connectV2, type OfficialClient, type Place } from "../../kit/official-clients.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { serveSdk2 } from "../../interop/sdk2/server.ts";
import { createProgram, isAlive } from "../../kit/programs.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { program, readPids, readUrl, startGateway, type RunningGateway } from "./command-run.ts";
import { serveStateless } from "./official-servers.ts";
import { openHttp, openStdio, type RawWire } from "./raw-wire.ts";
import { text } from "../../kit/messages.ts";

/* `create-mcp-server gateway`, the program, before servers of others. */

const mortal = await createProgram(new URL("./exiting-server.ts", import.meta.url));
const sdk = await createProgram(new URL("../../interop/sdk1/stdio-server.ts", import.meta.url));

const clients: OfficialClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function keep(connecting: Promise<OfficialClient>): Promise<OfficialClient> {
  const client = await connecting;
  clients.push(client);
  return client;
}

interface Foreign {
  /** The words that name it. */
  readonly words: readonly string[];
  close(): Promise<void>;
}

const toForeign = ({ url, close }: { readonly url: string; close(): Promise<void> }): Foreign => ({
  words: [url],
  close,
});

const foreigners: readonly (readonly [name: string, serve: () => Promise<Foreign>])[] = [
  [
    "the official server of the first generation on stdio",
    () => Promise.resolve({ words: ["--", process.execPath, sdk], close: () => Promise.resolve() }),
  ],
  ["the official server of the second generation over HTTP", async () => toForeign(await serveSdk2())],
  ["the official server of the second generation without sessions", async () => toForeign(await serveStateless())],
];

async function exercise(client: OfficialClient, revision: string): Promise<void> {
  expect(client.revision).toBe(revision);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
  expect(await client.call("echo", { text: "ä€😀\u2028\n" })).toMatchObject(text("ä€😀\u2028\n"));
  expect(JSON.stringify(await client.call("sample"))).toContain("42");
}

async function exerciseRaw(wire: RawWire, id: string): Promise<void> {
  const envelope = id === statelessRevision.id ? { resultType: "complete" } : {};
  const called = await wire.request("tools/call", { name: "echo", arguments: { text: "raw" } });
  expect(called).toMatchObject({ result: { ...text("raw"), ...envelope } });
  if (id !== statelessRevision.id) expect(called.result).toEqual(text("raw"));
  const listed = await wire.request("tools/list");
  expect(listed).toMatchObject({ result: { ...envelope, tools: expect.arrayContaining([]) } });
  expect(await wire.request("no/such")).toMatchObject({ error: { code: -32601 } });
}

describe.each(foreigners)("%s behind the program", (_name, serve) => {
  let foreign: Foreign;

  beforeAll(async () => {
    foreign = await serve();
  });

  afterAll(() => foreign.close());

  test("a server is served over HTTP at every revision, to clients of both generations at the same time", async () => {
    const gateway = startGateway(["--listen", "0", ...foreign.words]);
    const place: Place = { kind: "http", url: await readUrl(gateway) };
    const [first, second, third] = await Promise.all([
      keep(connectV1(place)),
      keep(connectV2(place)),
      keep(connectV2(place, "auto")),
    ]);
    await Promise.all([exercise(first, newest.id), exercise(second, newest.id), exercise(third, statelessRevision.id)]);
    for (const revision of revisions) await exerciseRaw(await openHttp(place.url, revision), revision.id);
    for (const client of clients.splice(0)) await client.close();
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(gateway.stdout()).toBe("");
    expect(readPids(gateway).filter(isAlive)).toEqual([]);
  });

  test("a server is served on stdio to clients of both generations", async () => {
    const args = [program, "gateway", "--stdio", ...foreign.words];
    const place: Place = { kind: "stdio", command: process.execPath, args };
    const opening = [connectV1(place), connectV2(place), connectV2(place, "auto")].map(keep);
    const [first, second, third] = await Promise.all(opening);
    if (!first || !second || !third) throw new Error("three were opened");
    await Promise.all([exercise(first, newest.id), exercise(second, newest.id), exercise(third, statelessRevision.id)]);
  });

  // Over HTTP every revision is served above.
  test.each([newest, statelessRevision].map((revision) => [revision.id, revision] as const))(
    "a server is served on stdio at %s, and ended when stdin ends",
    async (id, revision) => {
      const gateway = startGateway(["--stdio", ...foreign.words]);
      await exerciseRaw(await openStdio(gateway, revision), id);
      gateway.end();
      expect(await gateway.exited).toBe(0);
      expect(readPids(gateway).filter(isAlive)).toEqual([]);
    },
  );
});

describe("the end of the program", () => {
  const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.error('pid ' + process.pid);";

  /** A server that responds, and does not end when its stdin does. */
  const staying = `${stubborn} require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = { protocolVersion: '${newest.id}', capabilities: {}, serverInfo: { name: 'stays', version: '1' } };
    const error = { code: -32601, message: 'no' };
    const answer = method === 'initialize' ? { result } : { error };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });`;

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "the program ends on %s, and leaves no process behind, whatever the server does",
    async (signal) => {
      const gateway = startGateway(["--listen", "0", "--", process.execPath, "-e", staying]);
      await readUrl(gateway);
      gateway.kill(signal);
      expect(await gateway.exited).toBe(0);
      expect(readPids(gateway)).toHaveLength(1);
      expect(readPids(gateway).filter(isAlive)).toEqual([]);
    },
  );

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "the program ends on %s before the response of the server, and leaves no process behind",
    async (signal) => {
      const gateway = startGateway(["--stdio", "--", process.execPath, "-e", stubborn]);
      await expect.poll(() => readPids(gateway)).toHaveLength(1);
      gateway.kill(signal);
      expect(await gateway.exited).toBe(0);
      expect(readPids(gateway).filter(isAlive)).toEqual([]);
    },
  );

  test("the program ends on SIGTERM during a call on stdio", async () => {
    const gateway = startGateway(["--stdio", "--", process.execPath, sdk]);
    const wire = await openStdio(gateway, newest);
    void wire.request("tools/call", { name: "hang", arguments: {}, _meta: { progressToken: "begun" } });
    await expect.poll(() => gateway.stdout()).toContain('"progressToken":"begun"');
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(readPids(gateway).filter(isAlive)).toEqual([]);
  });
});

describe("the program over HTTP", () => {
  const post = (url: string, headers: object = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: openingParams }),
    });
  const openingParams = {
    protocolVersion: newest.id,
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const [one, other] = ["first-".repeat(5), "second-".repeat(5)];

  test.each([
    ["--api-key-env", (key: string) => ({ "x-api-key": key })],
    ["--bearer-env", (key: string) => ({ authorization: `Bearer ${key}` })],
  ] as const)("the program accepts callers with a key of %s only", async (option, toHeaders) => {
    const words = ["--listen", "0", option, "CALLERS", "--", process.execPath, sdk];
    const gateway = startGateway(words, { CALLERS: `${one},${other}` });
    const url = await readUrl(gateway);
    const statuses = [{}, toHeaders(`${one}x`), toHeaders(one), toHeaders(other)].map(
      async (headers) => (await post(url, headers)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200]);
    expect(gateway.stderr()).not.toContain(one);
  });

  test("the program serves clients of HTTP with SSE only, with credentials if they are required", async () => {
    const gateway = startGateway(["--listen", "0", "--api-key-env", "CALLERS", "--", process.execPath, sdk], {
      CALLERS: one,
    });
    const url = new URL("/sse", await readUrl(gateway));
    expect((await fetch(url, { headers: { accept: "text/event-stream" } })).status).toBe(401);
    const client = new Client({ name: "old", version: "1" });
    await client.connect(new SSEClientTransport(url, { requestInit: { headers: { "x-api-key": one } } }));
    onTestFinished(() => client.close());
    const result = await client.callTool({ name: "echo", arguments: { text: "by SSE" } });
    expect(result).toMatchObject(text("by SSE"));
  });

  test("the program connects to a server that requires credentials", async () => {
    const upstream = await serveSdk({ authorization: "Bearer secret-of-the-gateway" });
    onTestFinished(() => upstream.close());
    const words = ["--listen", "0", "--header-env", "Authorization=TOKEN", upstream.url];
    const gateway = startGateway(words, { TOKEN: "Bearer secret-of-the-gateway" });
    expect((await post(await readUrl(gateway))).status).toBe(200);
    const rejected = startGateway(["--listen", "0", upstream.url]);
    expect(await rejected.exited).toBe(2);
    expect(rejected.stderr()).toMatch(
      /it requires credentials \(HTTP 401\); send credentials with --header-env Name=VARIABLE/,
    );
  });

  test("the program gives its server only the named variables", async () => {
    const script = "console.error('it has ' + process.env.NAMED + ' and ' + process.env.UNNAMED); process.exit(3)";
    const words = ["--stdio", "--env", "NAMED", "--", process.execPath, "-e", script];
    const gateway = startGateway(words, { NAMED: "this", UNNAMED: "that" });
    expect(await gateway.exited).toBe(2);
    expect(gateway.stderr()).toContain("its last words: it has this and undefined");
  });

  test("the program escapes terminal sequences of its server", async () => {
    const nasty = "\u001b]0;mine\u0007\u009b2J\u202e";
    const result = { protocolVersion: newest.id, capabilities: {}, serverInfo: { name: `a${nasty}b`, version: "1" } };
    const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize')
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: ${JSON.stringify(result)} }) + '\\n');
      else if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"error":{"code":-32601,"message":"no"}}\\n');
      else process.stdout.write('{"jsonrpc":"2.0","id":"' + ${JSON.stringify(nasty)} + '","result":{}}\\n');
    });`;
    const gateway = startGateway(["--listen", "0", "--", process.execPath, "-e", script]);
    await readUrl(gateway);
    const failed = startGateway([
      "--stdio",
      "--",
      process.execPath,
      "-e",
      `console.log('x'); process.exit(3); // ${nasty}`,
    ]);
    await failed.exited;
    for (const { stderr } of [gateway, failed]) expect(stderr()).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(gateway.stderr()).toContain("a]0;mine2Jb (revision ");
  });
});

describe("the end of the server", () => {
  const start = (): RunningGateway =>
    startGateway(["--stdio", "--", process.execPath, mortal, join(temporaryFolder(), "pids")]);
  const call = (die: boolean): object => ({ name: "work", arguments: { die } });

  test("a server that ends during a call ends the program with 1, and the call gets a response with the reason", async () => {
    const gateway = start();
    const wire = await openStdio(gateway, newest);
    expect(await wire.request("tools/call", call(true))).toMatchObject({ error: { code: -32603 } });
    expect(await gateway.exited).toBe(1);
    expect(gateway.stderr()).toContain("The server process ended with code 7");
  });

  test("a server that ends between two calls ends the program with 1 and the reason", async () => {
    const gateway = start();
    const wire = await openStdio(gateway, newest);
    const { result } = await wire.request("tools/call", call(false));
    process.kill(Number(/"text":"(\d+)"/.exec(JSON.stringify(result))?.[1]), "SIGKILL");
    expect(await gateway.exited).toBe(1);
    expect(gateway.stderr()).toContain("The server process ended by SIGKILL");
  });

  test("a server that ends before a client without a session is started again, and the program ends with 0 after the client", async () => {
    const gateway = start();
    const wire = await openStdio(gateway, statelessRevision);
    expect(await wire.request("tools/call", call(true))).toMatchObject({ error: { code: -32603 } });
    expect(await wire.request("tools/call", call(false))).toMatchObject({ result: { resultType: "complete" } });
    gateway.end();
    expect(await gateway.exited).toBe(0);
    expect(gateway.stderr()).toContain("The server process ended with code 7");
  });
});

describe("invalid options of the program", () => {
  const rejections: readonly (readonly [what: string, args: readonly string[], text: RegExp])[] = [
    ["no server", ["--listen", "0"], /no server is given; pass an address such as (?!.*\.json)/],
    [
      "no place to serve at",
      ["--", "node", "x.js"],
      /no transport is given; pass --listen 127\.0\.0\.1:3000 or --stdio/,
    ],
    [
      "two places to serve at",
      ["--listen", "0", "--stdio", "--", "node", "x.js"],
      /--listen and --stdio exclude each other/,
    ],
    [
      "no such port",
      ["--listen", "70000", "--", "node", "x.js"],
      /--listen 70000 is not valid; pass HOST:PORT or PORT/,
    ],
    [
      "no such command",
      ["--stdio", "--", "no-such-command"],
      /the server cannot be reached: the command no-such-command does not exist; check its name\.\n$/,
    ],
    [
      "other machines without a name",
      ["--listen", "0.0.0.0:0", "--", "node"],
      /is open to other machines; .*--allowed-hosts/,
    ],
    [
      "other machines without credentials",
      ["--listen", "0.0.0.0:0", "--allowed-hosts", "mcp.example.org", "--", "node"],
      /is open to other machines; pass the variable with the keys of clients, as in --api-key-env MCP_API_KEY/,
    ],
    [
      "keys that are not there",
      ["--listen", "0", "--api-key-env", "NO_SUCH_KEYS", "--", "node"],
      /--api-key-env: the environment variable NO_SUCH_KEYS is empty or not set/,
    ],
    [
      "two kinds of credentials",
      ["--listen", "0", "--api-key-env", "A", "--bearer-env", "B", "--", "node"],
      /--api-key-env and --bearer-env exclude each other/,
    ],
    [
      "credentials on stdio",
      ["--stdio", "--bearer-env", "B", "--", "node"],
      /--api-key-env and --bearer-env apply to HTTP only/,
    ],
    [
      "names of hosts on stdio",
      ["--stdio", "--allowed-hosts", "a.example", "--", "node"],
      /--allowed-hosts applies to HTTP only/,
    ],
    [
      "a timeout that is none",
      ["--stdio", "--timeout", "soon", "--", "node"],
      /--timeout soon is not a number of seconds/,
    ],
    ["no such module", ["--stdio", "no-such.ts"], /no-such\.ts does not exist; check the path/],
    ["nobody at the address", ["--stdio", "http://127.0.0.1:9/mcp"], /the server cannot be reached: .*127\.0\.0\.1:9/],
    ["an option that it does not have", ["--stdio", "--revision", "1.0", "--", "node"], /Unknown argument: revision/],
    ["no such revision", ["--stdio", "--protocol", "1.0", "--", "node"], /--protocol: unknown revision "1\.0"; choose/],
    ["a secret to redact in no recording", ["--stdio", "--redact", "a", "--", "node"], /--redact .* apply to --record/],
    [
      "a server that dies at once",
      ["--stdio", "--", process.execPath, "-e", "console.error('no licence'); process.exit(3)"],
      /The server process ended with code 3; its last words: no licence/,
    ],
    [
      "a server that throws, without the stack and the version below it",
      ["--stdio", "--", process.execPath, "-e", "throw new Error('no licence')"],
      /its last words: Error: no licence\)\.\n$/,
    ],
    [
      "a server that lacks a variable, and how to pass it on",
      ["--stdio", "--", process.execPath, "-e", "throw new Error('set NOTES_DB')"],
      /its last words: Error: set NOTES_DB\)\. Set the variable NOTES_DB, and pass it with --env NOTES_DB\.\n$/,
    ],
  ];

  /** Output of the program itself: a server writes to the same stream. */
  const own = (text: string): string => text.slice(Math.max(0, text.indexOf("create-mcp-server")));

  test.each(rejections)("the program reports invalid options, and ends with 2: %s", async (_what, args, message) => {
    const gateway = startGateway(args);
    expect(await gateway.exited).toBe(2);
    expect(own(gateway.stderr())).toMatch(message);
    expect(own(gateway.stderr())).not.toMatch(/\n\s+at |\.\. /);
    expect(gateway.stdout()).toBe("");
  });

  test("a port in use is reported, and the server is ended", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => taken.close(() => resolve())));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const gateway = startGateway(["--listen", String(port), "--", process.execPath, sdk]);
    expect(await gateway.exited).toBe(2);
    const reason = `--listen: The server cannot listen on 127.0.0.1:${port}: the address is in use; stop the other program or use another port`;
    expect(gateway.stderr()).toContain(reason);
    expect(readPids(gateway)).toHaveLength(1);
    expect(readPids(gateway).filter(isAlive)).toEqual([]);
  });
});
