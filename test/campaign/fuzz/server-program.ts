import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { startRemote } from "../../fuzz/remote/process.ts";
import { readUrl, type RemoteServer } from "../../fuzz/remote/subjects.ts";
import { definedThings } from "../../fuzz/defined-subjects.ts";

/** Program of the tested server as one file: it starts much faster than its sources. */
export interface ServerProgram {
  readonly file: string;
  remove(): void;
}

/** Bundles the program in a temporary folder. */
export async function bundleServer(): Promise<ServerProgram> {
  const folder = mkdtempSync(join(tmpdir(), "campaign-fuzz-"));
  const file = join(folder, "server.mjs");
  const entryPoints = [join(import.meta.dirname, "server-process.ts")];
  await build({ entryPoints, outfile: file, bundle: true, format: "esm", platform: "node", logLevel: "error" });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the command that starts the program. */
export function toRemote(file: string, era: "sessions" | "stateless"): RemoteServer {
  return { args: [file], env: era === "stateless" ? { FUZZ_STATELESS: "1" } : {}, things: definedThings };
}

/** Server over HTTP in another process. */
export interface HttpServerProcess {
  readonly url: string;
  /** Ends it. Returns the problems of its end. */
  close(): Promise<readonly string[]>;
}

/** Starts the program over HTTP. */
export async function startHttpServer(file: string, era: "sessions" | "stateless"): Promise<HttpServerProcess> {
  const { args, env } = toRemote(file, era);
  const remote = startRemote([...args, "--http", "0"], env);
  const url = await readUrl(remote);
  return {
    url,
    async close() {
      const { child } = remote;
      if (child.exitCode !== null || child.signalCode !== null) return remote.end();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(timer);
      return child.exitCode === 0 ? [] : [`the server ended with ${child.exitCode ?? child.signalCode}`];
    },
  };
}
