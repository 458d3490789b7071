import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** End of a program, with its output on stdout and stderr. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end; the signal ends it early. */
export async function run(
  command: string,
  args: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code]: readonly unknown[] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, output };
}

/** Folder, abort signal and environment of a program. */
export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A server that runs beside us. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server, which writes its URL to stderr or stdout. The first group of `pattern` is the URL. Default: the first URL. */
export async function startServer(
  args: readonly string[],
  { pattern = /(http:[^\s"]+)(?=[\s"])/, ...options }: RunOptions & { readonly pattern?: RegExp },
): Promise<RunningServer> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  child.on("error", () => {});
  const url = await readUrl(child, pattern);
  return { url, stop: () => stop(child) };
}

function readUrl(child: ChildProcess, pattern: RegExp): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, url] = pattern.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stderr?.on("data", read);
    child.stdout?.on("data", read);
    child.once("close", () => reject(new Error(`The server ended before it listened. It said:\n${said}`)));
  });
}

/** A server that does not end by itself when asked to is a failure of its own. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  const patience = setTimeout(() => child.kill("SIGKILL"), 60_000);
  child.kill("SIGTERM");
  await closed;
  clearTimeout(patience);
  if (child.signalCode === "SIGKILL") throw new Error("The server did not end within 60 s of SIGTERM.");
}
