import { createServer, type ServerResponse } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCheck } from "../../../cli/commands/check.ts";
import { runDiff } from "../../../cli/commands/diff.ts";
import { runExplain } from "../../../cli/commands/explain.ts";
import { runGateway } from "../../../cli/commands/gateway.ts";
import { runInspect } from "../../../cli/commands/inspect.ts";
import { runReplay } from "../../../cli/commands/replay.ts";
import { portOf, startListening } from "../../../runtime/transport/listening.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { captured, client } from "../../kit/commands.ts";
import { serveRaw } from "../../kit/raw-server.ts";

/* Each command prints one line about a bad server, never a stack. */

/** A program on stdio with these rules of JavaScript for its responses; `message` is the request. */
function program(rules: string, first = ""): string[] {
  const text = `${first};
    const send = (message) => console.log(JSON.stringify(message));
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const message = JSON.parse(line);
      const { id, method } = message;
      if (id === undefined) return;
      const ok = (result) => send({ jsonrpc: "2.0", id, result });
      const fail = (code, text) => send({ jsonrpc: "2.0", id, error: { code, message: text } });
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      if (method === "server/discover") return fail(-32601, "Method not found");
      ${rules}
      if (method === "initialize") return ok({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "bad", version: "1" } });
      ${rules.includes("lists:") ? "" : 'fail(-32603, "unreachable rule");'}
    });`;
  return [process.execPath, "-e", text];
}

const atInitialize = (rule: string): string => `if (method === "initialize") return ${rule};`;
const inLists = (rule: string): string => `lists: if (method.endsWith("/list")) return ${rule};`;

/** Servers that no client can connect to. */
const unreachable: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  "a program that ends at once": async () => [process.execPath, "-e", ""],
  "a program that fails with a stack": async () => [process.execPath, "-e", "throw new Error('no database')"],
  "a program that prints other text and ends": async () => [process.execPath, "-e", "console.log('Listening on 3000')"],
  "a program that rejects initialize in several lines": async () =>
    program(atInitialize(String.raw`fail(-32603, "no database\n    at open (db.js:1:1)")`)),
  "a program whose initialize result is null": async () => program(atInitialize("ok(null)")),
  "a program with a revision that is a number": async () => program(atInitialize("ok({ protocolVersion: 5 })")),
  "a program with an unknown revision": async () =>
    program(
      atInitialize('ok({ protocolVersion: "1999-01-01", capabilities, serverInfo: { name: "a", version: "1" } })'),
    ),
  ...Object.fromEntries(
    Object.entries<readonly [status: number, headers: Record<string, string>, body: string]>({
      "HTTP 500": [500, {}, "boom\n    at handle (x.js:1:1)"],
      "HTTP 401": [401, {}, ""],
      "HTTP 403": [403, {}, "Host not allowed"],
      "HTTP 404": [404, {}, "<h1>Not found</h1>"],
      "a page in HTML": [200, { "content-type": "text/html" }, "<!doctype html><title>Hello</title>"],
      "JSON that ends early": [200, { "content-type": "application/json" }, "{"],
      "a response to another request": [
        200,
        { "content-type": "application/json" },
        '{"jsonrpc":"2.0","id":99,"result":{}}',
      ],
      "a redirect to another origin": [302, { location: "http://127.0.0.2/" }, ""],
      "a stream that ends": [200, { "content-type": "text/event-stream" }, ": \n\n"],
    }).map(([what, [status, headers, body]]) => [
      `an address that returns ${what}`,
      () => serve((response) => response.writeHead(status, headers).end(body)),
    ]),
  ),
  "an address that closes connections": () => serve((response) => response.destroy()),
  "an address without a listener": async () => [`http://127.0.0.1:${await freePort()}/mcp`],
  "an address without TLS": async () => [(await plain()).replace("http:", "https:")],
  "an address for WebSockets without a listener": async () => [`ws://127.0.0.1:${await freePort()}/mcp`],
  "an address for WebSockets that serves HTTP": async () => [(await plain()).replace("http:", "ws:")],
  "an address for TCP that serves HTTP": async () => [(await plain()).replace("http:", "tcp:").replace("/mcp", "")],
};

/** Servers whose lists a client cannot read. */
const unreadable: Readonly<Record<string, readonly string[]>> = {
  "ends at the first list": program(inLists("process.exit(0)")),
  "rejects lists in several lines": program(inLists(String.raw`fail(-32603, "no table\n    at read (db.js:1:1)")`)),
  "has lists that are null": program(inLists("ok(null)")),
  "has lists of wrong types": program(
    inLists('ok({ tools: "none", resources: 5, prompts: {}, resourceTemplates: null })'),
  ),
  "has cursors of a wrong type": program(
    inLists("ok({ tools: [], resources: [], prompts: [], resourceTemplates: [], nextCursor: 5 })"),
  ),
};

async function serve(respond: (response: ServerResponse) => unknown): Promise<readonly string[]> {
  const server = await serveRaw((_request, response) => respond(response));
  onTestFinished(() => server.close());
  return [server.url];
}

async function plain(): Promise<string> {
  const [url = ""] = await serve((response) => response.writeHead(500).end());
  return url;
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await startListening(server, { port: 0, host: "127.0.0.1" });
  const port = portOf(server);
  await new Promise((done) => server.close(done));
  return port;
}

function fileWith(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const header =
  '{"format":"mcp-recording","version":1,"tool":"create-mcp-server 0.1.0","started":"2026-11-28T00:00:00.000Z","protocol":"2025-11-25","server":{"name":"bad","version":"1"},"redacted":[]}';
const timeout = 60;
const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");
const report = { format: "text", failOn: "risky" } as const;

/** Commands for lists, by name. */
const readers: Readonly<Record<string, (server: readonly string[]) => Promise<number>>> = {
  explain: (server) => runExplain({ server, protocol: "2025-06-18", json: false, timeout }),
  diff: (server) =>
    runDiff({ ...report, older: fileWith("tools.json", '{"tools":[{"name":"a"}]}'), newer: quote(server), timeout }),
};

/** Commands with a connection. */
const connecting: typeof readers = {
  ...readers,
  inspect: (server) => runInspect({ server, open: false, redact: [], force: false }),
  gateway: (server) => runGateway({ server, stdio: true, shareConnections: false, redact: [], force: false }),
  replay: (server) =>
    runReplay({
      ...report,
      file: fileWith("session.jsonl", `${header}\n`),
      against: true,
      server,
      ignore: [],
      timeout,
    }),
};

/** Texts of the platform without a meaning for users. */
const internal = /SSL routines|fetch failed/;

const line = /^create-mcp-server: \S[^\n]+\.\n$/;

describe.each(Object.entries(unreachable))("%s", (_what, open) => {
  test.each(Object.entries(connecting))("the command %s prints one line", async (_name, run) => {
    const server = await open();
    const { code, stdout, stderr } = await captured(() => run(server));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    // The gateway logs whatever a server does wrong, as it does while it serves.
    expect(stderr.replace(/^(?:protocol: [^\n]+\n)+/, "")).toMatch(line);
    expect(stderr).not.toMatch(internal);
  });

  test("the command client prints one line", async () => {
    const { code, stderr } = await client(await open(), { timeout });
    expect(code).toBe(2);
    expect(stderr).toMatch(line);
  });

  test("the command check reports one error", async () => {
    const target = await open();
    const { code, stdout, stderr } = await captured(() =>
      runCheck({ target, format: "text", failOn: "error", timeout }),
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(/^\S[^\n]* supports no known revision\.\nerror    \S[^\n]+\n {9}\S[^\n]+\n/);
    expect(stdout).not.toMatch(internal);
  });
});

describe.each(Object.entries(unreadable))("a program that %s", (_what, server) => {
  test.each(Object.entries(readers))("the command %s prints one line", async (_name, run) => {
    const { code, stdout, stderr } = await captured(() => run(server));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(line);
  });

  test("the command client prints one line", async () => {
    const { code, stderr } = await client(server, { timeout });
    expect(code).toBe(2);
    expect(stderr).toMatch(line);
  });
});

test("the line of a server that ends has what it has sent in place of messages", async () => {
  const { stderr } = await client([process.execPath, "-e", "console.log('Listening on 3000')"], { timeout });
  expect(stderr).toMatch(
    /ended with code 0\)\. It sent something wrong: The message is not valid JSON\. Run the command/,
  );
});
