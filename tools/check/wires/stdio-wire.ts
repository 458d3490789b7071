import { spawn, type ChildProcess } from "node:child_process";
import { toCommand, toServerEnv, type Command, type CommandPlace } from "../../../runtime/transport/stdio/command.ts";
import { readLastWords } from "../../../runtime/transport/stdio/stderr-summary.ts";
import { killTree, ownTree } from "../../../runtime/transport/stdio/process-tree.ts";
import { explainCause, UserError } from "../../../generator/internal/user-error.ts";
import { LineReader } from "./line-reader.ts";
import type { Exchange, Wire, WireFactory } from "./wire.ts";

/** Options of a server process. */
export interface StdioWireOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds to wait for a response. */
  readonly timeout: number;
}

/**
 * Creates connections to a server. Each connection starts its own process, and rejects with a {@link UserError} when the command cannot be started.
 */
export function createStdioWires(options: StdioWireOptions): WireFactory {
  const closing = { time: closeTime };
  return { transport: "stdio", open: () => openWire(options, closing) };
}

async function openWire({ command, args, env, timeout }: StdioWireOptions, closing: { time: number }): Promise<Wire> {
  const variables = toServerEnv(process, env);
  const { file, args: words, verbatim } = readCommand(command, args, variables);
  const child = spawn(file, words, {
    ...ownTree(),
    env: variables,
    stdio: ["pipe", "pipe", "pipe"],
    windowsVerbatimArguments: verbatim,
  });
  // The process leads its own process tree, which a signal from the terminal does not reach.
  const abandon = (): void => killTree(child);
  process.once("exit", abandon);
  const reader = new LineReader();
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => reader.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (tail = (tail + text).slice(-2_000)));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const ended = endOutput(child, exited).then(() => reader.end());
  // A program that does not read has usually exited, and its exit code is the reason.
  child.stdin.on("error", () => void within(ended, exitTime).then(() => reader.end()));
  await new Promise<void>((done, reject) => {
    child.once("spawn", done);
    child.once("error", (error) =>
      reject(
        new UserError(
          `${command} cannot be started: ${error.message}; check its spelling, and whether it is installed.`,
        ),
      ),
    );
  });
  let hasResponded = false;
  const write = (text: string): void => void (reader.isOpen && child.stdin.write(`${text}\n`));
  return {
    transport: "stdio",
    unsolicited: reader.unsolicited,
    strayData: reader.strayData,
    get isOpen() {
      return reader.isOpen;
    },
    get silence() {
      return describeEnd(child, tail);
    },
    async exchange(message, { id, signal } = {}) {
      const waiting: Exchange | Promise<Exchange> = id === undefined ? {} : reader.wait(id, timeout, signal);
      write(JSON.stringify(message));
      const exchange = await waiting;
      hasResponded ||= exchange.response !== undefined;
      return exchange;
    },
    sendText(text) {
      write(text);
      return Promise.resolve({});
    },
    async close() {
      child.stdin.end();
      // A user waits for the report. A program that has never responded has no work to finish, and one that was killed before will hardly exit.
      const isGone = await within(exited, hasResponded ? closing.time : exitTime);
      if (hasResponded && !isGone) closing.time = exitTime;
      if (!isGone) abandon();
      await ended;
      // Processes that the server has left behind.
      abandon();
      child.stdout.destroy();
      child.stderr.destroy();
      process.removeListener("exit", abandon);
      return { wasKilled: !isGone };
    },
  };
}

/** Resolves after the last output. Does not wait for a process left behind by the server with the pipe still open. */
async function endOutput(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const closed = new Promise<void>((done) => child.once("close", () => done()));
  await exited;
  await within(closed, outputTime);
}

/** Reports invalid arguments of a program as user errors. */
function readCommand(command: string, args: readonly string[], env: CommandPlace["env"]): Command {
  try {
    return toCommand(command, args, { platform: process.platform, env });
  } catch (error) {
    throw new UserError(explainCause(error), { cause: error });
  }
}

function describeEnd({ exitCode, signalCode }: ChildProcess, log: string): string {
  if (exitCode === null && signalCode === null) return "";
  const words = readLastWords(log);
  return `it exited ${signalCode === null ? `with code ${exitCode}` : `by ${signalCode}`}${words === "" ? "" : `, last output: ${words}`}`;
}

/** Milliseconds between the end of the input of a program, on either side, and its exit. */
const exitTime = 1_000;

/** Milliseconds between the exit of a program and its last output, at most. */
const outputTime = 500;

/** Milliseconds for a server to exit after its input has ended. If it does not, its next processes get `exitTime`. */
const closeTime = 5_000;

async function within(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((done) => (timer = setTimeout(done, milliseconds, false)));
  const isDone = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
