import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runCheck } from "../../../cli/commands/check.ts";
import { runDiff } from "../../../cli/commands/diff.ts";
import { runExplain } from "../../../cli/commands/explain.ts";
import { revisions } from "../../../generated/revisions.ts";
import { captured, client, type CommandResult } from "../../kit/commands.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { createProgram } from "../../kit/programs.ts";

/* What the commands that speak to servers have in common. */

const script = await createProgram(new URL("../../runtime/gateway/invalid-server.ts", import.meta.url));
const server = [process.execPath, script];
const oldest = revisions.at(-1)?.id ?? "";

type Run = (env: readonly string[]) => Promise<CommandResult>;

const commands: readonly (readonly [name: string, run: Run])[] = [
  ["client", (env) => client(server, { env, out: join(temporaryFolder(), "client") })],
  ["check", (env) => captured(() => runCheck({ target: server, env, format: "text", failOn: "error" }))],
  [
    "diff",
    (env) =>
      captured(() =>
        runDiff({ older: `'${server.join("' '")}'`, newer: `'${server.join("' '")}'`, env, format: "text" }),
      ),
  ],
  ["explain", (env) => captured(() => runExplain({ server, env, protocol: oldest, json: false }))],
  ["explain --json", (env) => captured(() => runExplain({ server, env, protocol: oldest, json: true }))],
];

describe.each(commands)("the command %s", (_name, run) => {
  test("the command recommends the environment variable that the last output of the server names, and passes it with `--env`", async () => {
    const { code, stdout, stderr } = await run(["WANTS_DB=1"]);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toContain("Set the variable NOTES_DB, and pass it with --env NOTES_DB.");
    expect(stdout + stderr).not.toContain("Node.js v");
    const passed = await run(["WANTS_DB=1", "NOTES_DB=:memory:"]);
    expect(passed.stdout + passed.stderr).not.toContain("NOTES_DB");
  });

  test("the command removes terminal control sequences from text of a server", async () => {
    const nasty = "\u001b]0;mine\u0007\u009b2J\u202e";
    const { stdout, stderr } = await run([`NAME=a${nasty}b`, `TOOL=tool${nasty}`]);
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });
});

test("`client` omits a tool that is nested too deeply, and no other", async () => {
  const out = join(temporaryFolder(), "client");
  const { code, stderr } = await client(server, { env: ["DEEP=100"], out });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^left out {3}deep: /)]);
  expect(readFileSync(join(out, "index.ts"), "utf8")).toContain("huge");
});

test("`client --check` ignores files that it has not written", async () => {
  const out = join(temporaryFolder(), "client");
  await client(server, { out });
  writeFileSync(join(out, "notes.md"), "mine\n");
  expect(await client(server, { out, check: true })).toMatchObject({ code: 0 });
  writeFileSync(join(out, "index.ts"), "edited\n");
  expect(await client(server, { out, check: true })).toMatchObject({ code: 1 });
});

/** Server that declares resources, and responds to requests for lists with the error that a code names, but for the tools. */
const listing = (code: number): string => `
  const send = (id, body) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const info = { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} }, serverInfo: { name: "tiny", version: "1" } };
    if (method === "initialize") send(id, { result: info });
    else if (method === "tools/list") send(id, { result: { tools: [{ name: "a", inputSchema: { type: "object" } }] } });
    else if (id !== undefined) send(id, { error: { code: method === "server/discover" ? -32601 : ${code}, message: "no" } });
  });`;

test("a list whose method a server does not have is empty, and another error of a list is reported", async () => {
  const generate = (code: number): Promise<CommandResult> =>
    client([process.execPath, "-e", listing(code)], { out: join(temporaryFolder(), "client") });
  expect(await generate(-32601)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 tool, 0 prompts") });
  expect(await generate(-32603)).toMatchObject({ code: 2, stderr: expect.stringContaining("the error -32603") });
});
