import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../../kit/programs.ts";
import { newest } from "../../../kit/revisions.ts";

const script = await createProgram(new URL("./stdio-server.ts", import.meta.url));

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  call(name: string): void;
  /** Resolves when a call runs. */
  begun(): Promise<void>;
  /** The next response, parsed. */
  readResponse(): Promise<unknown>;
  /** Exit code and everything on stderr. */
  end(): Promise<{ readonly code: unknown; readonly stderr: string }>;
}

async function start(): Promise<Running> {
  const child = spawn(process.execPath, [script]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exit = once(child, "close");
  let stderr = "";
  let id = 0;
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const readResponse = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
  const params = { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  send({ id, method: "initialize", params });
  await readResponse();
  send({ method: "notifications/initialized" });
  return {
    child,
    call: (name) => send({ id: ++id, method: "tools/call", params: { name } }),
    async begun() {
      while (!stderr.includes("begun")) await once(child.stderr, "data");
    },
    readResponse,
    end: async () => ({ code: (await exit)[0], stderr }),
  };
}

describe("a server on stdin and stdout", () => {
  test.each<readonly [string, (child: ChildProcessWithoutNullStreams) => void]>([
    ["SIGTERM", (child) => child.kill("SIGTERM")],
    ["SIGINT", (child) => child.kill("SIGINT")],
    ["the end of stdin", (child) => child.stdin.end()],
  ])("a server on stdin and stdout responds to running requests and exits with 0 on %s (R27)", async (_name, stop) => {
    const { child, call, begun, readResponse, end } = await start();
    call("slow");
    await begun();
    stop(child);
    expect(await readResponse()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
    expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining("this goes to stderr") });
  });

  test("a server on stdin and stdout does not wait for long requests at its end", async () => {
    const { child, call, begun, end } = await start();
    call("forever");
    await begun();
    child.kill("SIGTERM");
    expect(await end()).toMatchObject({ code: 0 });
  });

  test("a server on stdin and stdout aborts requests at the end of stdin also when nothing keeps the process alive (R27)", async () => {
    const { child, call, begun, end } = await start();
    call("idle");
    await begun();
    child.stdin.end();
    expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining("aborted") });
  });

  test("a server on stdin and stdout can be closed by the program, and resolves `closed`", async () => {
    const { call, readResponse, end } = await start();
    call("stop");
    expect(await readResponse()).toMatchObject({ id: 1, result: { content: [{ text: "stopped" }] } });
    expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining("this goes to stderr") });
  });
});
