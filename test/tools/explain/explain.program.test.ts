import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { explain } from "../../../cli/commands/explain.ts";
import { emitExplanation } from "../../../tools/explain/text.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { readPartLosses } from "../../../runtime/gateway/conversion-losses.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { runCli } from "../../kit/programs.ts";
import { server } from "./maximal-server.ts";

/** Losses by part. */
async function read(revision: Revision): Promise<Readonly<Record<string, readonly string[]>>> {
  const [near, far] = createInMemoryTransports();
  serve(server, far);
  const connection = await connect(near, { info: { name: "test", version: "1" }, revisions });
  const parts = await readPartLosses(connection, revision);
  await connection.close();
  return Object.fromEntries(parts.map(({ name, losses }) => [name, losses.map(nameOf).sort()]));
}

function nameOf({ type, member }: { readonly type: string; readonly member?: string }): string {
  return member === undefined ? type : `${type}.${member}`;
}

const prompt = "p\u001b[2J";

/** Messages of the fixture that each revision cannot express, taken from the changelogs, not from the converters. */
const lost: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
  ["2026-07-28", { maximal: [], report: [], a: [], [prompt]: [] }],
  ["2025-11-25", { maximal: [], report: [], a: [], [prompt]: [] }],
  ["2025-06-18", { maximal: ["Implementation.icons"], report: ["Tool.icons"], a: [], [prompt]: [] }],
  [
    "2025-03-26",
    {
      maximal: ["Implementation.icons", "Implementation.title"],
      report: ["Tool.icons", "Tool.outputSchema", "Tool.title"],
      a: ["Resource.title"],
      [prompt]: ["PromptArgument.title"],
    },
  ],
  [
    "2024-11-05",
    {
      maximal: ["Implementation.icons", "Implementation.title"],
      report: ["Tool.annotations", "Tool.icons", "Tool.outputSchema", "Tool.title"],
      a: ["Resource.title"],
      [prompt]: ["PromptArgument.title"],
    },
  ],
];

test.each(lost)("`explain` finds the losses of a definition at %s", async (id, expected) => {
  const revision = revisions.find((candidate) => candidate.id === id);
  if (!revision) throw new Error(`no revision ${id}`);
  expect(await read(revision)).toEqual({ plain: [], ...expected });
});

describe("sources of `explain`", { timeout: 180_000 }, () => {
  test("`explain` reports lost members, affected parts and possible losses of a server at an address; names contain no control sequences", async () => {
    const listener = await serveHttp(server);
    const told = await explain({ protocol: "2024-11-05", server: [listener.url] });
    await listener.close();
    const text = emitExplanation(told);
    expect(text).toMatch(/Tool\.outputSchema \(since 2025-06-18\): omitted.*\n +tool report\n/);
    expect(text).toContain("prompt p[2J");
    expect(text).toContain("1 of 5 parts are complete.");
    expect(told.possible.map(nameOf)).toEqual(
      expect.arrayContaining([
        "ContentBlock.AudioContent",
        "ContentBlock.ResourceLink",
        "CallToolResult.structuredContent",
        "ProgressNotificationParams.message",
        "CreateMessageRequestParams.tools",
        "elicitation/create",
      ]),
    );
  });

  test("`explain` reads a module that exports a server", async () => {
    const module = join(import.meta.dirname, "maximal-server.ts");
    const told = await explain({ protocol: revisions[0]?.id ?? "", server: [module] });
    expect(told).toMatchObject({ server: { name: "maximal" }, possible: [] });
    expect(told.parts.flatMap(({ losses }) => losses)).toEqual([]);
  });

  test("`explain` reports a member once when two types lose it", async () => {
    const module = join(import.meta.dirname, "maximal-server.ts");
    const text = emitExplanation(await explain({ protocol: "2025-11-25", server: [module] }));
    expect(text.split("\n").filter((line) => line.includes("Tool.outputSchema.type (since"))).toHaveLength(1);
  });

  test("`explain` reads a command after `--`, and prints JSON", async () => {
    const command = [process.execPath, "--import", "tsx", join(import.meta.dirname, "serving-server.ts")];
    const args = ["explain", "--json", "--protocol", "2025-06-18", "--", ...command];
    const { code, stdout, stderr } = await runCli(args, { cwd: process.cwd() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ server: { name: "maximal" }, revision: "2025-06-18" });
  });
});

describe("rejected sources of `explain`", () => {
  const ended = [process.execPath, "-e", "console.error('no database'); process.exit(3)"];

  test.each([
    ["no server", "2025-06-18", [], /no server is given; pass an address (?!.*\.json)/],
    ["a revision that does not exist", "2020-01-01", ["x"], /unknown revision "2020-01-01"; choose one of/],
    ["a file that does not exist", "2025-06-18", ["nothing.ts"], /nothing\.ts does not exist; check the path/],
    ["an unknown protocol", "2025-06-18", ["ftp://example.com"], /is not the address of a server/],
    ["a list of tools", "2025-06-18", ["package.json"], /package\.json is a file, not a server/],
    [
      "an address with arguments",
      "2025-06-18",
      ["http://[::1]:9", "x"],
      /unexpected arguments after the address \(x\)/,
    ],
    [
      "a program that does not exist",
      "2025-06-18",
      ["no-such-program"],
      /the command no-such-program does not exist; check its name\.$/,
    ],
    [
      "a program that is no server",
      "2025-06-18",
      [process.execPath, "--version"],
      /cannot be reached.*see its output\.$/,
    ],
    ["a program that prints the reason before it exits", "2025-06-18", ended, /its last words: no database\)\.$/],
    [
      "an address without a listener",
      "2025-06-18",
      ["http://127.0.0.1:9/mcp"],
      /:9\. Check the address, and that the server is running\.$/,
    ],
  ] as const)("`explain` rejects %s", async (_what, protocol, words, says) => {
    const rejected = explain({ protocol, server: words });
    await expect(rejected).rejects.toMatchObject({ name: "UserError", message: expect.stringMatching(says) });
  });

  test.each([
    [401, /it requires credentials \(HTTP 401\); send credentials with --header-env Name=VARIABLE\.$/],
    [403, /it returned HTTP 403: closed for today\. Check which host names and clients the server permits\.$/],
    [302, /redirects without a valid Location; use the target URL instead\.$/],
    [404, /HTTP 404.* Check the address, and that the server is running\.$/],
    [503, /HTTP 503: closed for today\.$/],
  ])(
    "`explain` rejects a server with status %d, and adds advice unless the response explains it",
    async (status, says) => {
      const server = createServer((_request, response) => response.writeHead(status).end("closed for today"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const rejected = explain({ protocol: "2025-06-18", server: [`http://127.0.0.1:${port}/mcp`] });
      await expect(rejected).rejects.toMatchObject({ name: "UserError", message: expect.stringMatching(says) });
      server.close();
    },
  );
});

describe("a server whose lists cannot be read", () => {
  const respond = (list: string): readonly string[] => [
    process.execPath,
    "-e",
    `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
      if (method === "initialize")
        send({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } });
      else if (method === "server/discover") send({ error: { code: -32601, message: "no" } });
      else if (method === "tools/list") ${list};
    });`,
  ];

  test.each<[what: string, list: string, says: RegExp, timeout?: number]>([
    [
      "an error",
      'send({ error: { code: -32603, message: "Database is down" } })',
      /cannot be read: it returned the error -32603: Database is down\. Look for its faults with the command check\.$/,
    ],
    ["an invalid list", "send({ result: { tools: null } })", /^the server cannot be read: .*tools/],
    ["an exit", "process.exit(3)", /^the server cannot be read: /],
    [
      "silence",
      "{}",
      /cannot be read: it did not respond to tools\/list within 10 s; raise --timeout for a slow server\.$/,
      10,
    ],
  ])("`explain` reports %s in one line", async (_what, list, says, timeout = 60) => {
    const read = explain({ protocol: "2024-11-05", server: respond(list), timeout });
    await expect(read).rejects.toMatchObject({ name: "UserError", message: expect.stringMatching(says) });
  });
});
