import { build } from "esbuild";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Replies, ServerSettings } from "./commands.ts";

/** Program of the server. */
export interface ServerProgram {
  readonly path: string;
  /** Removes the program. */
  remove(): void;
}

/** Bundles the server: node starts it ten times as fast as the sources. */
export async function buildProgram(): Promise<ServerProgram> {
  // Inside the project, so that the libraries that stay outside are found.
  const cache = join(import.meta.dirname, "../../../node_modules/.cache/programs");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "campaign-"));
  const outfile = join(folder, "server.mjs");
  const entryPoints = [join(import.meta.dirname, "program.ts")];
  await build({ entryPoints, outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  return { path: outfile, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Arguments of node for a server. */
export function toArguments({ path }: ServerProgram, settings: ServerSettings): readonly string[] {
  return ["--expose-gc", path, JSON.stringify(settings)];
}

/** Running server, measured over its IPC channel. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  #lastId = 0;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
    child.setMaxListeners(0);
  }

  /** Starts a server, with more arguments of node if there are any, and resolves when it serves. */
  static async start(
    { path }: ServerProgram,
    settings: ServerSettings,
    nodeArguments: readonly string[] = [],
  ): Promise<ServerProcess> {
    const hasPipes = settings.transport === "stdio";
    const child = fork(path, [JSON.stringify(settings)], {
      execArgv: ["--expose-gc", ...nodeArguments],
      stdio: [hasPipes ? "pipe" : "ignore", hasPipes ? "pipe" : "ignore", "inherit", "ipc"],
    });
    const exited = once(child, "exit").then(([code]) => {
      throw new Error(`The server exited with ${String(code)} before it served`);
    });
    const [message] = await Promise.race([once(child, "message"), exited]);
    exited.catch(() => {});
    return new ServerProcess(child, String(Reflect.get(Object(message), "url")));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("The server has no process");
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends a command, and returns its result. Rejects when the server exits first. */
  request<Kind extends Command["kind"]>(command: Command & { readonly kind: Kind }): Promise<Replies[Kind]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const end = (): void => void this.child.off("message", take).off("exit", fail);
      const take = (message: {
        readonly id?: number;
        readonly value: Replies[Kind];
        readonly error?: string;
      }): void => {
        if (message.id !== id) return;
        end();
        if (message.error === undefined) resolve(message.value);
        else reject(new Error(message.error));
      };
      const fail = (): void => {
        end();
        const { exitCode, signalCode } = this.child;
        reject(new Error(`The server exited with ${exitCode ?? signalCode} before the end of ${command.kind}`));
      };
      this.child.on("message", take).on("exit", fail);
      // Fails if the server has exited before.
      this.child.send({ id, command }, (error) => error && fail());
    });
  }

  /** Reads the peak of the resident memory since the last reset, in bytes; undefined once the process has exited. */
  readPeak(): number | undefined {
    return readPeak(this.pid);
  }

  /** Kills the server, and resolves when it has exited. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exited;
  }
}

/** Reads the peak of the resident memory of a process of this machine since the last reset, in bytes. */
export function readPeak(pid: number | "self"): number | undefined {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return undefined;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, "utf8")) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Sets the peak of the resident memory of a process to its present value. */
export function resetPeak(pid: number | "self"): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
