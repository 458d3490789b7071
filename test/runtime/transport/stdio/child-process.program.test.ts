import { afterEach, describe, expect, test, vi } from "vitest";
import { connect } from "../../../../runtime/client/connect.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { connectFixture, tinyServer } from "./fixture.ts";
import { isAlive } from "../../../kit/programs.ts";

test("a client starts a server, sends a request, reads its log and stops it (T-01, T-02, T-06, TS-04)", async () => {
  const log: string[] = [];
  const { transport, client } = await connectFixture({ stderr: (text) => log.push(text) });
  expect(client.revision).toBe(newest);
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, n) => client.request("tools/call", { name: "echo", arguments: { n } })),
  );
  expect(results[199]).toEqual({ content: [{ type: "text", text: "199" }] });
  const large = await client.request("tools/call", { name: "large", arguments: { n: 3_000_000 } });
  expect(JSON.stringify(large)).toHaveLength(
    3_000_000 + JSON.stringify({ content: [{ type: "text", text: "" }] }).length,
  );
  expect(log.join("")).toContain("fixture is up");
  expect(transport.stderrTail).toContain("fixture is up");
  await client.close();
  expect(isAlive(transport.pid)).toBe(false);
  expect(await client.closed).toBeUndefined();
});

describe("the standard error of a server", () => {
  afterEach(() => vi.restoreAllMocks());

  const chatty = 'process.stderr.write("x".repeat(100_000) + " end\\n"); setInterval(() => {}, 1000);';

  test.each([
    ["is passed on", 0, true],
    ["is not kept for a log that nobody reads (R28)", 2 * 1024 * 1024, false],
  ])("standard error of a server: %s", async (_, waiting, isWritten) => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    vi.spyOn(process.stderr, "writableLength", "get").mockReturnValue(waiting);
    const { command, args } = tinyServer(chatty);
    const transport = createStdioClientTransport({ command, args, shutdown: { terminate: 10 } });
    await expect.poll(() => transport.stderrTail).toContain(" end");
    expect(write.mock.calls.some(([text]) => String(text).includes("xxx"))).toBe(isWritten);
    await transport.close();
  });

  test("a short standard error is repeated in an error", async () => {
    const { command, args } = tinyServer('process.stderr.write("x".repeat(100_000), () => process.exit(3));');
    const transport = createStdioClientTransport({ command, args, stderr: "ignore" });
    const reason = await new Promise<Error | undefined>((resolve) =>
      transport.start({ message() {}, classified() {}, problem() {}, ended() {}, disconnected: resolve }),
    );
    expect(reason?.message).toContain("ended with code 3; its last words: xxx");
    expect(reason?.message.length).toBeLessThan(1_200);
  });
});

test("a function for the standard error that throws is reported, and the connection continues", async () => {
  const { command, args } = tinyServer('process.stderr.write("text"); process.stdin.resume();');
  const reports: ErrorReport[] = [];
  const transport = createStdioClientTransport({
    command,
    args,
    stderr: () => {
      throw new Error("no space");
    },
    onError: (report) => reports.push(report),
  });
  await expect.poll(() => reports).toMatchObject([{ kind: "callback", error: { message: "no space" } }]);
  expect(transport.stderrTail).toBe("text");
  await transport.close();
});

describe("the shutdown of a server (L-21, T-07, R28, TS-08)", () => {
  /** Longer than any test may take: whoever waits for it fails. */
  const patient = { terminate: 600_000, kill: 600_000 };
  const stubborn = 'setInterval(() => {}, 1000); process.on("SIGTERM", () => {});';

  test.each([
    ["a server that heeds the end of stdin", 'process.stdin.on("end", () => process.exit(0));', patient, 0],
    ["a server that must be terminated", "setInterval(() => {}, 1000);", { ...patient, terminate: 200 }, 190],
    ["a server that must be killed", stubborn, { terminate: 200, kill: 200 }, 390],
  ])("the shutdown of a server: %s", async (_, code, shutdown, atLeast) => {
    const { transport, client } = await connectFixture({ ...tinyServer(code), shutdown });
    const start = performance.now();
    await client.close();
    expect(isAlive(transport.pid)).toBe(false);
    expect(performance.now() - start).toBeGreaterThanOrEqual(atLeast);
  });

  test("child processes of a server end with it", async () => {
    const { client } = await connectFixture();
    const result = await client.request("tools/call", { name: "grandchild" });
    const pid = Number(/"text":"(\d+)"/.exec(JSON.stringify(result))?.[1]);
    expect(isAlive(pid)).toBe(true);
    await client.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe("a server process that ends", () => {
  test("a server process that ends fails pending calls at once with its exit code (L-22, R29, R52)", async () => {
    const { client } = await connectFixture();
    const hanging = client.request("tools/call", { name: "hang" });
    void client.request("tools/call", { name: "exit", arguments: { n: 7 } }).catch(() => {});
    await expect(hanging).rejects.toMatchObject({
      name: "ClosedError",
      cause: { message: expect.stringContaining("ended with code 7") },
    });
    expect(await client.closed).toMatchObject({ message: expect.stringContaining("its last words: fixture is up") });
    await expect(client.request("ping")).rejects.toMatchObject({ name: "ClosedError" });
    await client.close();
  });

  test("a server process that ends by a signal is reported with the signal", async () => {
    const { transport, client } = await connectFixture(tinyServer(""));
    process.kill(transport.pid ?? 0, "SIGKILL");
    expect(await client.closed).toMatchObject({ message: "The server process ended by SIGKILL" });
  });

  test("a server process that ends before the handshake fails the connection", async () => {
    const transport = createStdioClientTransport({
      command: process.execPath,
      args: ["-e", 'console.error("no configuration"); process.exit(3)'],
      stderr: "ignore",
    });
    const connecting = connect(transport, { info: { name: "c", version: "1" }, revisions: handshakeRevisions });
    await expect(connecting).rejects.toMatchObject({
      cause: { message: "The server process ended with code 3; its last words: no configuration" },
    });
  });

  test("a command that does not exist fails the connection", async () => {
    const transport = createStdioClientTransport({ command: "/no/such/command" });
    const connecting = connect(transport, { info: { name: "c", version: "1" }, revisions: handshakeRevisions });
    await expect(connecting).rejects.toMatchObject({ name: "ClosedError", cause: { code: "ENOENT" } });
  });
});

test("stray data on standard output is skipped and reported (R23)", async () => {
  const reports: string[] = [];
  const transport = createStdioClientTransport({
    ...tinyServer('process.stdout.write("Listening...\\n\\n");'),
    stderr: "ignore",
  });
  const client = await connect(transport, {
    info: { name: "c", version: "1" },
    revisions: handshakeRevisions,
    onError: ({ kind }) => reports.push(kind),
  });
  expect(await client.request("ping")).toEqual({});
  expect(reports).toEqual(["protocol"]);
  await client.close();
});

test("a server gets few environment variables, and those that are given (R28)", async () => {
  process.env.SECRET_OF_THE_PARENT = "hunter2";
  const report = "answer = (id) => say({ id, result: { _meta: { env: process.env } } });";
  const { client } = await connectFixture({ ...tinyServer(report), env: { GIVEN: "yes" } });
  delete process.env.SECRET_OF_THE_PARENT;
  const result = await client.request("ping");
  await client.close();
  expect(result).toMatchObject({ _meta: { env: { GIVEN: "yes", PATH: process.env.PATH } } });
  expect(JSON.stringify(result)).not.toContain("hunter2");
});

test("arguments are not interpreted by a shell (R28)", async () => {
  const hostile = "$(touch /tmp/x) ; \"' && echo %PATH%";
  const report = "answer = (id) => say({ id, result: { _meta: { argv: process.argv.slice(1) } } });";
  const { command, args } = tinyServer(report);
  const { client } = await connectFixture({ command, args: [...args, hostile] });
  expect(await client.request("ping")).toEqual({ _meta: { argv: [hostile] } });
  await client.close();
});
