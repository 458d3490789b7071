import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { createProgram } from "../../../kit/programs.ts";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { newest } from "../../../kit/revisions.ts";

/* The program of the guide that starts a server several times on one port. */

let folder: string;

beforeAll(async () => {
  folder = await createTemporaryFolder("cluster");
  const guide = readFileSync(join(packageRoot, "docs", "run.md"), "utf8");
  const [, text = ""] = /^```js processes\.js\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  writeFileSync(join(folder, "processes.js"), text);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  mkdirSync(join(folder, "dist"));
  cpSync(await createProgram(new URL("./cluster-server.ts", import.meta.url)), join(folder, "dist", "server.js"));
});

interface Program {
  readonly child: ChildProcess;
  /** Resolves to the matches in the output of stderr, when there are as many. */
  printed(pattern: RegExp, count: number): Promise<readonly string[]>;
  /** Resolves to the exit code. */
  readonly code: Promise<unknown>;
}

function start(...args: readonly string[]): Program {
  const child = spawn(process.execPath, ["processes.js", ...args], { cwd: folder });
  // Workers exit when the first process is gone.
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "close");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    async printed(pattern, count) {
      let found: readonly string[];
      while ((found = stderr.match(pattern) ?? []).length < count) await once(child.stderr, "data");
      return found;
    },
    code: exit.then(([code]: readonly unknown[]) => code),
  };
}

/** Calls the tool on a connection of its own. Returns the id of the process that has served it. */
async function call(url: string): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": newest.id,
      connection: "close",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "work" } }),
  });
  return Number(/served by (\d+)/.exec(await response.text())?.[1]);
}

const processes = availableParallelism();

describe("a server in the processes of node:cluster", () => {
  test("the processes share a port, one that crashes is replaced, and all finish their calls on SIGTERM", async () => {
    const program = start("--http", "0");
    const [place = ""] = await program.printed(/http:\S+/g, processes);
    const callAll = (): Promise<number[]> => Promise.all(Array.from({ length: processes }, () => call(place)));
    const first = new Set(await callAll());
    expect(first.size).toBe(processes);

    const [crashed = 0] = first;
    process.kill(crashed, "SIGKILL");
    await program.printed(/http:\S+/g, processes + 1);
    const running = callAll();
    await program.printed(/begun/g, 2 * processes);
    program.child.kill("SIGTERM");
    const last = new Set(await running);
    expect(last.size).toBe(processes);
    expect(last).not.toContain(crashed);
    expect(await program.code).toBe(0);
  });

  test("the first process exits with the code of a process that cannot start", async () => {
    expect(await start("--http", "65536").code).toBe(1);
  });
});
