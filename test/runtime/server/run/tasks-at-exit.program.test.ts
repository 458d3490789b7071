import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { extension } from "../../../../generated/extensions/tasks/index.ts";
import { createProgram } from "../../../kit/programs.ts";
import { newest } from "../../../kit/revisions.ts";
import { initialize, meta, request } from "../../../kit/messages.ts";

const script = await createProgram(new URL("./task-server.ts", import.meta.url));

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves to the first match in the output of stderr. */
  printed(pattern: RegExp): Promise<string>;
  /** Resolves to the exit code and to everything on stderr. */
  end(): Promise<{ readonly code: unknown; readonly stderr: string }>;
}

function start(work: number, args: readonly string[] = []): Program {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, WORK: String(work) } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "close");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    async printed(pattern) {
      while (!pattern.test(stderr)) await once(child.stderr, "data");
      return pattern.exec(stderr)?.[0] ?? "";
    },
    end: async () => ({ code: (await exit)[0], stderr }),
  };
}

/** Starts a task over HTTP. */
async function startOverHttp(work: number): Promise<Program> {
  const program = start(work, ["--http", "0"]);
  const url = await program.printed(/http:\S+/);
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const post = (body: object, more: object = {}): Promise<Response> =>
    fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const welcome = await post(initialize(newest.id, {}));
  await welcome.text();
  const session = { "mcp-session-id": welcome.headers.get("mcp-session-id"), "mcp-protocol-version": newest.id };
  const params = { name: "work", task: {} };
  await (await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, session)).text();
  await program.printed(/begun/);
  return program;
}

/** Starts a task on stdin and stdout that belongs to no session. */
async function startOnStdio(work: number): Promise<Program> {
  const program = start(work);
  const declaring = { [meta.capabilities]: { extensions: { [extension.id]: {} } } };
  program.child.stdin.write(`${JSON.stringify(request(1, "tools/call", { name: "work" }, declaring))}\n`);
  await program.printed(/begun/);
  return program;
}

const failed = JSON.stringify({ status: "failed", statusMessage: "The server that ran the task has ended" });
const completed = JSON.stringify({ status: "completed" });

describe.each([
  ["over HTTP", startOverHttp],
  ["on stdio", startOnStdio],
])("a program %s", (_name, open) => {
  test("a program waits for a task that ends in time on SIGTERM (R27)", async () => {
    const { child, end } = await open(400);
    child.kill("SIGTERM");
    expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining(completed) });
  });

  test("a program fails a task that does not end in time on SIGTERM, and exits with 0 (R27)", async () => {
    const { child, end } = await open(600_000);
    child.kill("SIGTERM");
    expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining(failed) });
  });
});
