import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectV1, connectV2, type OfficialClient } from "../../kit/official-clients.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { program, readUrl, startGateway } from "../../runtime/gateway/command-run.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { readRecording } from "../../../tools/replay/read-recording.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { client } from "../../kit/commands.ts";
import { callAll, openMock, programOf, record, replayAgainst, usePlain, type Scenario } from "./record-session.ts";

/* Recordings of servers of others and of the everything example: as mocks of these servers, and as tests of them. */

const everything = join(packageRoot, "dist/examples/everything/server.js");

/** Each scenario creates the state of its server again when it is called. */
const scenarios: readonly (readonly [name: string, create: () => Scenario])[] = [
  [
    "server-memory",
    () => ({
      args: [programOf("server-memory")],
      env: { MEMORY_FILE_PATH: join(temporaryFolder(), "memory.jsonl") },
      calls: [
        ["read_graph"],
        ["create_entities", { entities: [{ name: "A", entityType: "t", observations: ["first"] }] }],
        ["read_graph"],
        ["search_nodes", { query: "A" }],
      ],
    }),
  ],
  [
    "server-everything",
    () => ({
      args: [programOf("server-everything")],
      calls: [
        ["echo", { message: "hi" }],
        ["get-sum", { a: 1, b: 2 }],
        ["trigger-sampling-request", { prompt: "2+2", maxTokens: 9 }],
        ["trigger-elicitation-request"],
        ["no-such-tool"],
      ],
    }),
  ],
];

const generations: readonly (readonly [
  name: string,
  connect: (place: { readonly kind: "http"; readonly url: string }) => Promise<OfficialClient>,
])[] = [
  ["an official client of the first generation", connectV1],
  ["an official client of the second generation without a session", (place) => connectV2(place, "auto")],
];

describe.each(scenarios)("a recording of %s", (_name, create) => {
  test("a recording is a test that the server passes, and a mock that returns the same results", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    const recorded = await record(path, create());
    const { code, stdout } = await replayAgainst(path, create());
    expect([code, stdout]).toEqual([0, expect.stringContaining("no difference.")]);
    for (const [, connect] of generations)
      expect(await callAll(await openMock(path), connect, create().calls)).toMatchObject(recorded);
  });
});

test("a recording of server-filesystem is a test that the server passes, although times differ", async () => {
  const folder = temporaryFolder();
  const path = join(temporaryFolder(), "session.jsonl");
  const file = join(folder, "a.txt");
  const args = [programOf("server-filesystem"), folder];
  const calls = [
    ["write_file", { path: file, content: "hello" }],
    ["get_file_info", { path: file }],
    ["read_text_file", { path: file }],
    ["read_text_file", { path: join(folder, "none.txt") }],
  ] as const;
  await record(path, { args, calls }, { use: usePlain });
  const { code, stdout } = await replayAgainst(path, { args });
  expect([code, stdout]).toEqual([0, expect.stringContaining("no difference.")]);
});

describe("a recording of the everything example at a revision with sessions", () => {
  const calls = [
    ["test_simple_text"],
    ["test_tool_with_logging"],
    ["test_tool_with_progress"],
    ["test_sampling", { prompt: "2+2" }],
    ["test_elicitation_sep1034_defaults"],
    ["test_input_required_result_multiple_inputs"],
    ["multi_input"],
    ["show_time"],
    ["test_error_handling"],
  ] as const;

  test("a recording passes as a test of the same server without sessions, and the reverse", async () => {
    const scenario = { args: [everything], calls };
    const folder = temporaryFolder();
    for (const [recorded, others] of [
      [handshake.id, [handshake.id, statelessRevision.id]],
      [statelessRevision.id, [statelessRevision.id]],
    ] as const) {
      const path = join(folder, `${recorded}.jsonl`);
      await record(path, scenario, { protocol: recorded });
      expect((await readRecording(path)).header).toMatchObject({ protocol: recorded, server: { name: "everything" } });
      for (const protocol of others) {
        const { code, stdout, stderr } = await replayAgainst(path, scenario, { protocol });
        const isSame = protocol === recorded;
        // The server offers a further tool without sessions.
        expect(stdout).toContain(isSame ? "no difference." : ": 1 added, 0 removed, 0 changed");
        expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d\d responses compared\.\n$/)]);
      }
      const mocked = await callAll(await openMock(path), connectV1, calls);
      expect(JSON.stringify(mocked)).toContain("me has 1 roots, and m says hello.");
    }
  });
});

describe("differences between a recording and a server", () => {
  test("a difference has its place, makes the command fail, and can be ignored", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    const scenario: Scenario = { args: [everything], calls: [["test_simple_text"], ["multi_input"]] };
    await record(path, scenario, { protocol: handshake.id });
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      text
        .replaceAll("This is a simple text", "This was a simple text")
        .replace('"method":"elicitation/create"', '"method":"sampling/createMessage"'),
    );
    const { code, stdout } = await replayAgainst(path, scenario);
    expect(code).toBe(1);
    expect(stdout).toContain("tools/call test_simple_text: content.0.text changed from");
    expect(stdout).toContain("elicitation/create: the server sends a request that was not recorded");
    expect(stdout).toContain("sampling/createMessage: the server does not send this request");
    const ignored = await replayAgainst(path, scenario, { ignore: ["content.*.text"], format: "json" });
    expect(ignored.stdout).not.toContain("test_simple_text");
    expect(JSON.parse(ignored.stdout)).toMatchObject({ kind: "servers", changes: expect.any(Array) });
    expect((await replayAgainst(path, scenario, { ignore: ["a..b"] })).stderr).toContain("--ignore a..b is not a path");
  });

  test("a recording without the opening of a connection is no test that passes", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    const header = { format: "mcp-recording", version: 1, protocol: handshake.id, server: { name: "a", version: "1" } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const line = { connection: "one", direction: "to-server", message };
    writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(line)}\n`);
    const { code, stderr } = await replayAgainst(path, { args: ["-e", "process.exit(3)"] });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("does not contain the start of a connection; record the server"),
    ]);
  });

  test("a server that cannot be started has a clear error", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    await record(path, { args: [everything], calls: [] });
    const { code, stderr } = await replayAgainst(path, { args: ["-e", "process.exit(3)"] });
    expect([code, stderr]).toEqual([2, expect.stringContaining("the server cannot be tested: ")]);
    expect((await replayAgainst(path, { args: [everything] }, { protocol: "x" })).stderr).toContain("unknown revision");
  });
});

describe("the programs", () => {
  test("a killed gateway leaves a recording that is a mock over stdio, a test and a typed client", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "session.jsonl");
    const gateway = startGateway([
      "--listen",
      "127.0.0.1:0",
      "--protocol",
      handshake.id,
      "--record",
      path,
      "--redact",
      "name",
      "--",
      process.execPath,
      everything,
    ]);
    const recording = await connectV1({ kind: "http", url: await readUrl(gateway) });
    const first = await recording.call("greet", { name: "Ada" });
    await recording.call("greet", { name: "Bob" });
    gateway.kill("SIGKILL");
    await gateway.exited;
    // It cannot end its session any more.
    await recording.close().catch(() => {});
    expect(readFileSync(path, "utf8")).not.toContain('Ada"');

    const again = startGateway(["--listen", "127.0.0.1:0", "--record", path, "--", process.execPath, everything]);
    expect([await again.exited, again.stderr()]).toEqual([2, expect.stringContaining(`${path} exists`)]);

    const mock = await connectV1({ kind: "stdio", command: process.execPath, args: [program, "replay", path] });
    expect(mock.revision).toBe(handshake.id);
    expect(await mock.call("greet", { name: "Ada" })).toEqual(first);
    await expect(mock.call("greet", { name: "Ada", loud: true })).rejects.toThrow(
      'The recording has no tools/call {"arguments":{"loud":true,"name":"[redacted]"},"name":"greet"}; the nearest recorded request is tools/call {"arguments":{"name":"[redacted]"},"name":"greet"}',
    );
    await expect(mock.getPrompt({ name: "none", arguments: {} })).rejects.toThrow(
      "The recording has no request prompts/get",
    );
    await mock.close();

    const out = join(folder, "client");
    expect(await client([], { from: path, out })).toMatchObject({ code: 0 });
    expect(readFileSync(join(out, "index.ts"), "utf8")).toContain("showTime");
    expect((await client(["x.js"], { from: path, out })).stderr).toContain("a server and --from are given");
  });
});
