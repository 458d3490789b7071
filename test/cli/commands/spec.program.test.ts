import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Revision } from "../../../generated/support.ts";
import { runCheck } from "../../../cli/commands/check.ts";
import { runDiff } from "../../../cli/commands/diff.ts";
import { runExplain } from "../../../cli/commands/explain.ts";
import { runGateway } from "../../../cli/commands/gateway.ts";
import { runInspect } from "../../../cli/commands/inspect.ts";
import { runReplay } from "../../../cli/commands/replay.ts";
import { chooseSpec, openSpecRevisions, type SpecFlags } from "../../../cli/commands/spec-revisions.ts";
import { readServerAddress, toServer } from "../../../tools/live/server-address.ts";
import { loadTables } from "../../../cli/commands/load-tables.ts";
import { Recorder } from "../../../tools/replay/write-recording.ts";
import { createGateway } from "../../../runtime/gateway/index.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { joinGateway } from "../../runtime/gateway/connect-client.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { newest, next, older, writeFictionalSpec } from "../../generator/fictional-spec.ts";
import { serveTcp } from "../../tools/live/socket-servers.ts";
import { captured, client, type CommandResult } from "../../kit/commands.ts";

/*
 * Not a unit test: each command generates a whole spec folder. The server's only revision is not in this package: commands can use it with the spec
 * folder of the revision.
 */

let folder = "";
let spec = "";
let revisions: readonly Revision[] = [];

beforeAll(async () => {
  folder = await createTemporaryFolder("spec");
  spec = await writeFictionalSpec(folder);
  revisions = (await loadTables(spec)).revisions;
});

function createFutureServer(): Server {
  const tools = [{ name: "add", execute: () => "1" }];
  const future = revisions.filter(({ id }) => id === next);
  return createServer({ name: "future", version: "1", tools }, future);
}

describe("the spec folder of a command", () => {
  test("the spec folder is that of the project in the working directory, or of the project around it", async () => {
    const project = join(folder, "project");
    await mkdir(join(project, "src", "mcp"), { recursive: true });
    const choices = { revisions: [next], features: [], transports: [], spec: "../spec" };
    const lock = JSON.stringify({ format: 2, generator: "1", files: {}, ...choices });
    await writeFile(join(project, "src", "mcp", "mcp.lock.json"), lock);
    for (const place of [project, join(project, "src")]) expect(await chooseSpec({}, place)).toBe(spec);
    expect(await chooseSpec({ spec: false }, project)).toBeUndefined();
    expect(await chooseSpec({ spec: "spec" }, project)).toBe(join(process.cwd(), "spec"));
    expect(await chooseSpec({}, folder)).toBeUndefined();
    const moved = join(folder, "moved", "project");
    await cp(project, moved, { recursive: true });
    await expect(chooseSpec({}, moved)).rejects.toThrow(/has no revisions; pass their folder/);
  });

  test("the revisions of a folder are known newest first, and those of the package without it", async () => {
    const known = await openSpecRevisions({ spec });
    expect(known.revisions.map(({ id }) => id).slice(0, 3)).toEqual([next, newest, older]);
    expect((await openSpecRevisions({ spec: false })).revisions.map(({ id }) => id)).not.toContain(next);
  });
});

/** Runs a command until it prints a text, then stops it. A failing command ends before. */
async function runUntil(run: () => Promise<number>, text: RegExp): Promise<CommandResult> {
  const result = captured(run);
  const spies = [vi.mocked(console.log), vi.mocked(console.error)];
  const printed = vi.waitFor(() => expect(spies.flatMap((spy) => spy.mock.calls).join("\n")).toMatch(text), 60_000);
  await Promise.race([result, printed]);
  printed.catch(() => {});
  process.emit("SIGINT");
  return result;
}

const commands: Readonly<Record<string, (server: string, flags: SpecFlags) => Promise<CommandResult>>> = {
  check: (server, flags) => captured(() => runCheck({ target: [server], format: "text", failOn: "error", ...flags })),
  client: (server, flags) => client([server], { out: join(folder, "client"), force: true, ...flags }),
  diff: (server, flags) => captured(() => runDiff({ older: server, newer: server, format: "text", ...flags })),
  explain: (server, flags) =>
    captured(() => runExplain({ server: [server], protocol: older, json: false, timeout: 50, ...flags })),
  gateway: (server, flags) => {
    const serving = { server: [server], shareConnections: false, redact: [], force: false, stdio: false } as const;
    return runUntil(() => runGateway({ ...serving, listen: "tcp://127.0.0.1:0", ...flags }), /served at/);
  },
  inspect: (server, flags) =>
    runUntil(() => runInspect({ server: [server], open: false, redact: [], force: false, ...flags }), /inspected at/),
};

describe.each(Object.entries(commands))("`%s`", (_name, run) => {
  test("a server of a revision of the spec folder can be used", async () => {
    const { code, stdout, stderr } = await run(await serveTcp(createFutureServer()), { spec });
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).toMatch(/future|no difference|add/);
  });

  test("the same server is one of an unknown revision without the folder", async () => {
    const { code, stdout, stderr } = await run(await serveTcp(createFutureServer()), { spec: false });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(next);
  });
});

test("`diff` compares revisions of the spec folder", async () => {
  const { code, stdout } = await captured(() => runDiff({ older: newest, newer: next, format: "text", spec }));
  expect(code).toBe(0);
  expect(stdout).toContain("GetPromptRequestParams.tone");
});

describe("a recording at a revision of the spec folder", () => {
  test("`replay` and `client` read the recording, and test the server with it", async () => {
    const file = join(folder, "session.jsonl");
    const address = await serveTcp(createFutureServer());
    const recorder = new Recorder({ path: file, redact: [], ifExists: "reject", onNotice() {} });
    const place = await readServerAddress([address], { headers: {}, env: {} });
    const gateway = await createGateway(toServer(place), {
      revisions,
      onTraffic: recorder.record,
    });
    recorder.begin(gateway);
    const [future] = revisions;
    if (!future) throw new Error("There are no revisions.");
    const connection = await joinGateway(gateway, future);
    await connection.request("tools/list", {});
    await connection.request("tools/call", { name: "add" });
    await connection.close();
    await gateway.close();
    recorder.close();
    const options = { file, against: true, server: [address], ignore: [], format: "text", failOn: "risky" } as const;
    const replayed = await captured(() => runReplay({ ...options, spec, timeout: 50 }));
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining("no difference") });
    const atOlder = await captured(() => runReplay({ ...options, spec: false, timeout: 50 }));
    expect(atOlder).toMatchObject({ code: 2, stderr: expect.stringContaining(`has revision ${next}`) });
    expect(await client([], { from: file, out: join(folder, "recorded"), spec })).toMatchObject({ code: 0 });
  });
});
