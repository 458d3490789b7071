import { spawn } from "node:child_process";
import { isObject } from "../../generated/support.ts";
import { readInheritedEnv, toCommand } from "../../runtime/transport/command.ts";
import { UserError } from "../user-error.ts";
import type { Exchange, Noise, Wire, WireFactory } from "./wire.ts";

/** How a server process is started. */
export interface StdioWireOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
}

/** Connections to a server that is started anew for each of them. */
export function createStdioWires(options: StdioWireOptions): WireFactory {
  return { transport: "stdio", open: () => openWire(options) };
}

async function openWire({ command, args, env, timeout }: StdioWireOptions): Promise<Wire> {
  const machine = { platform: process.platform, env: process.env };
  const { file, args: words, verbatim } = toCommand(command, args, machine);
  const child = spawn(file, words, {
    env: { ...readInheritedEnv(machine), ...env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsVerbatimArguments: verbatim,
  });
  const reader = new LineReader();
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => reader.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (tail = (tail + text).slice(-2_000)));
  // That a program has gone shows as the end of its output.
  child.stdin.on("error", () => reader.end());
  const exited = new Promise<void>((done) => child.once("close", () => done(reader.end())));
  await new Promise<void>((done, reject) => {
    child.once("spawn", done);
    child.once("error", (error) => reject(new UserError(`${command} cannot be started: ${error.message}`)));
  });
  const write = (text: string): void => void (reader.isOpen && child.stdin.write(`${text}\n`));
  return {
    transport: "stdio",
    unasked: reader.unasked,
    noise: reader.noise,
    get isOpen() {
      return reader.isOpen;
    },
    async exchange(message, id) {
      const answer = id === undefined ? undefined : reader.wait(id, timeout);
      write(JSON.stringify(message));
      return answer ?? pause();
    },
    async sendText(text) {
      write(text);
      return pause();
    },
    async close() {
      child.stdin.end();
      const isGone = await within(exited, closeTime);
      if (!isGone) child.kill("SIGKILL");
      await exited;
      return { wasKilled: !isGone };
    },
  };
}

/** How long a server may take to end after its input has. */
const closeTime = 5_000;

/** How long what nobody answers is given to have an effect. */
const effectTime = 150;

async function pause(): Promise<Exchange> {
  await new Promise((done) => setTimeout(done, effectTime));
  return {};
}

async function within(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((done) => (timer = setTimeout(done, milliseconds, false)));
  const isDone = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}

/** Longest line that is kept: what is longer is no answer to any question of ours. */
const maxLine = 16 * 1024 * 1024;

class LineReader {
  readonly unasked: unknown[] = [];
  readonly noise: Noise[] = [];
  readonly #waiting = new Map<string | number, (exchange: Exchange) => void>();
  #rest = "";
  #isOpen = true;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  wait(id: string | number, timeout: number): Promise<Exchange> {
    if (!this.#isOpen) return Promise.resolve({});
    return new Promise((done) => {
      const timer = setTimeout(() => this.#settle(id, {}), timeout);
      this.#waiting.set(id, (exchange) => {
        clearTimeout(timer);
        done(exchange);
      });
    });
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, maxLine);
    for (const line of lines) this.#take(line.replace(/\r$/, ""));
  }

  end(): void {
    this.#isOpen = false;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, {});
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.noise.push({ kind: line.trim() === "" ? "blank" : "text", text: line.slice(0, 200) });
      return;
    }
    for (const one of Array.isArray(value) ? value : [value]) this.#deliver(one);
  }

  #deliver(value: unknown): void {
    const id: unknown = isObject(value) && !("method" in value) ? value.id : undefined;
    const isAwaited = (typeof id === "string" || typeof id === "number") && this.#waiting.has(id);
    if (isAwaited) this.#settle(id, { answer: value });
    else this.unasked.push(value);
  }

  #settle(id: string | number, exchange: Exchange): void {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    done?.(exchange);
  }
}
