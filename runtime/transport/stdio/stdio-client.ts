import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { startTimer, type Cancel } from "../../internal/timers.ts";
import type { NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import { deliverReport, type OnError } from "../../jsonrpc/error-report.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { Outgoing } from "../../jsonrpc/message.ts";
import { toCommand, toServerEnv } from "./command.ts";
import { loadChildProcess } from "./node-modules.ts";
import { readLastWords } from "./stderr-summary.ts";
import { ownTree, signalTree } from "./process-tree.ts";
import { StreamTransport } from "../stream-transport.ts";
import type { Transport } from "../transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of a server started as a child of this process. */
export interface StdioClientOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Variables in addition to the few every program needs. No other variables of this process are passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Destination of the log of the server: `"inherit"` passes it on to the stderr of this process as fast as this is read, `"ignore"` drops it, a
   * function receives it. The last 64 Ki characters are kept in any case. Default `"inherit"`.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void);
  readonly limits?: Partial<Limits>;
  /** Receives errors of the function `stderr`. Default: they are dropped. */
  readonly onError?: OnError;
  readonly shutdown?: Partial<ShutdownDelays>;
}

/** Time limits in milliseconds for each step of the server's shutdown. */
export interface ShutdownDelays {
  /** Time between the end of its stdin and the signal to terminate (on Windows: its end). Default 2 s. */
  readonly terminate: number;
  /** Further time before it is killed. Default 2 s. */
  readonly kill: number;
}

/** Transport to a server which runs as a child of this process. */
export interface StdioClientTransport extends Transport {
  /** Process id; absent when the process could not be started. */
  readonly pid: number | undefined;
  /** End of the server's output on stderr, at most 64 Ki characters. */
  readonly stderrTail: string;
}

/**
 * Starts a server without a shell, and connects to its stdin and stdout.
 *
 * @throws {Error} when an argument of a Windows script contains a line break
 * @example
 * ```ts
 * import { connectClient } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 * import { createStdioClientTransport } from "mcp-server-runtime/transports";
 *
 * const transport = createStdioClientTransport({ command: "node", args: ["dist/server.js"] });
 * const info = { name: "my-client", version: "1.0.0" };
 * const client = await connectClient<Declarations>(transport, { info, revisions });
 * ```
 */
export function createStdioClientTransport(options: StdioClientOptions): StdioClientTransport {
  return new ServerProcess(options);
}

class ServerProcess implements StdioClientTransport {
  readonly network: NetworkDetails = { transport: "pipe" };
  readonly #options: StdioClientOptions;
  readonly #child: Child;
  readonly #stream: StreamTransport;
  readonly #exited: Promise<void>;
  #stderrTail = "";

  constructor(options: StdioClientOptions) {
    checkNumbers(options.shutdown);
    this.#options = options;
    this.#child = start(options);
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => resolve());
    });
    this.#stream = new StreamTransport({
      input: this.#child.stdout,
      output: this.#child.stdin,
      write: (text) => this.#child.stdin.write(text),
      limits: options.limits,
      onEnd: () => this.#disconnectAfterExit(),
      finish: () => this.#shutDown(),
    });
    this.#watch();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get stderrTail(): string {
    return this.#stderrTail;
  }

  get buffered(): number {
    return this.#stream.buffered;
  }

  start(receiver: Receiver): void {
    this.#stream.start(receiver);
  }

  send(message: Outgoing): void | Promise<void> {
    return this.#stream.send(message);
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #watch(): void {
    const child = this.#child;
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => this.#log(text));
    child.stderr.on("error", ignore);
    child.once("error", (error) => this.#stream.disconnect(error));
    child.once("exit", () => this.#disconnectAfterExit());
    child.once("close", () => this.#stream.disconnect(this.#describeExit()));
  }

  /**
   * Disconnects shortly after the exit, because exit and last output come in any order. A grandchild may hold the pipe open, or the server may
   * continue without it: neither is awaited.
   */
  #disconnectAfterExit(): void {
    const leave = (): void => this.#stream.disconnect(this.#describeExit());
    void this.#exitsWithin(exitDelay).then(() => startTimer(lastOutputDelay, leave));
  }

  #log(text: string): void {
    this.#stderrTail = (this.#stderrTail + text).slice(-keptLog);
    const { stderr = "inherit" } = this.#options;
    if (typeof stderr === "function") this.#call(stderr, text);
    else if (stderr === "inherit" && process.stderr.writableLength < mostUnread) process.stderr.write(text);
  }

  #call(stderr: (text: string) => void, text: string): void {
    try {
      stderr(text);
    } catch (thrown) {
      deliverReport({ kind: "callback", error: toError(thrown) }, this.#options);
    }
  }

  #describeExit(): Error {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) return new Error("The server closed its output");
    const log = readLastWords(this.#stderrTail).slice(0, longestWords);
    const cause = signalCode === null ? `with code ${exitCode}` : `by ${signalCode}`;
    return new Error(`The server process ended ${cause}${log === "" ? "" : `; its last words: ${log}`}`);
  }

  /**
   * Shuts the server down: ends stdin, then sends SIGTERM, then SIGKILL.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio
   */
  async #shutDown(): Promise<void> {
    const { terminate = 2_000, kill = 2_000 } = this.#options.shutdown ?? {};
    this.#child.stdin.end();
    if (!(await this.#exitsWithin(terminate))) {
      signalTree(this.#child, "SIGTERM");
      if (!(await this.#exitsWithin(kill))) signalTree(this.#child, "SIGKILL");
    }
    await this.#exited;
    // Processes that the server has left behind.
    signalTree(this.#child, "SIGKILL");
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  async #exitsWithin(milliseconds: number): Promise<boolean> {
    let cancel: Cancel | undefined;
    const late = new Promise<boolean>((resolve) => (cancel = startTimer(milliseconds, () => resolve(false))));
    const exited = await Promise.race([this.#exited.then(() => true), late]);
    cancel?.();
    return exited;
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const keptLog = 64 * 1024;

/** Bytes to hold for the stderr of this process; beyond them, further output of the server is dropped. */
const mostUnread = 1024 * 1024;

/** Maximum number of characters of the last line in an error message. */
const longestWords = 1_000;

const lastOutputDelay = 50;

/** Milliseconds for a process to exit after its streams have ended. */
const exitDelay = 500;

function start({ command, args = [], cwd, env: given }: StdioClientOptions): Child {
  const { platform } = process;
  const env = toServerEnv(process, given);
  const { file, args: words, verbatim } = toCommand(command, args, { platform, env, cwd });
  return loadChildProcess().spawn(file, [...words], {
    ...ownTree(),
    stdio: ["pipe", "pipe", "pipe"],
    env,
    ...(cwd !== undefined && { cwd }),
    windowsVerbatimArguments: verbatim,
  });
}

function ignore(): void {}
