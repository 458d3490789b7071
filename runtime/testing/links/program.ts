import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A built server, as tests start it. */
export interface TestProgram {
  /** URL or path of the program. */
  readonly path: string | URL;
  /** Environment variables beside those of the tests. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Headers of requests over HTTP, such as credentials. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Arguments with which it serves HTTP on a free port. Default: `--http 0`. */
  readonly httpArguments?: readonly string[];
}

/** A server on a free port of this machine. */
export interface ListeningProgram {
  readonly url: string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
  /** Stops the server. Resolves to its exit code. */
  end(): Promise<number | null>;
}

/** A started server. */
interface StartedProgram {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<number | null>;
}

/** Starts a server. It does not outlive the tests. @throws {Error} when it has not been built. */
export function startProgram({ path, env }: TestProgram, args: readonly string[] = []): StartedProgram {
  const file = path instanceof URL ? fileURLToPath(path) : path;
  if (!existsSync(file)) throw new Error(`${file} does not exist; build the server first`);
  const options = { stdio: "pipe", ...(env && { env: { ...process.env, ...env } }) } as const;
  const child = spawn(process.execPath, [file, ...args], options);
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
      process.off("exit", kill);
      resolve(code);
    });
  });
  const { stdin, stdout, stderr } = child;
  return { child, stdin, stdout, stderr, ended };
}

/** Starts a server with arguments for its port, and waits for its address on stderr. */
export async function startOnPort(program: TestProgram, args: readonly string[]): Promise<ListeningProgram> {
  const { child, stderr, ended } = startProgram(program, args);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: stderr }).on("line", (line) => {
      const [address] = /(?:http|ws|tcp):\S+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
      else console.error(line);
    });
    void ended.then((code) => reject(new Error(`the server ended with code ${code}`)));
  });
  return {
    url,
    ended,
    async end() {
      child.kill("SIGTERM");
      const code = await ended;
      // Windows has no signals for programs to handle: the process is killed and has no exit code.
      return process.platform === "win32" ? 0 : code;
    },
  };
}
