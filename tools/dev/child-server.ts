import { fork, type ChildProcess } from "node:child_process";
import { isObject } from "../../generated/support.ts";
import { startTimer } from "../../runtime/internal/timers.ts";
import { removeBundle } from "./dev-bundle.ts";
import { report } from "./report.ts";

/** Receivers of what happens in the process of a server. */
export interface ChildEvents {
  /** Called with the address of the server when it listens for HTTP. */
  listening(address: string): void;
  /** Called with what the process writes to stderr. */
  output(text: string): void;
  /** Called with the exit code when the program has ended by itself, or because it was stopped. */
  ended(code: number): void;
}

/** Server process which stays while its definition is swapped. */
export class ChildServer {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #events: ChildEvents;
  #child: ChildProcess | undefined;
  /** True if the program has served a server: only then its definition can be swapped. */
  #isServed = false;
  #isUnserved = false;
  /** True if clients can connect again after the process has ended. */
  #isListening = false;
  /** True if no process starts any more. */
  #isStopping = false;
  /** Bundle for the next process, when this one has ended. */
  #next: string | undefined;

  /**
   * @param program - file of the program to load the bundles with
   * @param args - arguments of the program
   * @param events - receivers of what happens in the process
   */
  constructor(program: string, args: readonly string[], events: ChildEvents) {
    this.#program = program;
    this.#args = args;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Loads a bundle in the running process. If the program has no definition to swap, it is started again. */
  load(url: string): void {
    if (this.#isStopping) return;
    if (this.#child && this.#isUnserved) return this.#restart(url);
    this.#child ??= this.#start();
    // A process that is ending is followed by another one.
    if (!this.#child.connected) this.#next = url;
    else this.#child.send({ url }, (error) => error && (this.#next = url));
  }

  /** Ends the development server: the process closes its connections first. */
  stop(): void {
    this.#isStopping = true;
    if (this.#child) this.#disconnect(this.#child);
    else this.#events.ended(0);
  }

  /** Ends the process in order, or kills it when this takes too long. */
  #disconnect(child: ChildProcess): void {
    if (child.connected) child.disconnect();
    const kill = startTimer(longestEnd, () => child.kill("SIGKILL"));
    child.once("exit", kill);
  }

  #start(): ChildProcess {
    const child = fork(this.#program, this.#args, { execArgv: ["--enable-source-maps"] });
    this.#isServed = false;
    this.#isUnserved = false;
    this.#isListening = false;
    child.on("message", (message) => void this.#receive(message));
    child.on("error", ({ message }) => {
      report(`the server cannot be started: ${message}`);
      // Without a process there is no event of its end.
      if (child.pid === undefined) this.#ended(1);
    });
    child.once("exit", (code) => this.#ended(code ?? 1));
    return child;
  }

  #restart(url: string): void {
    const isEnding = this.#next !== undefined;
    this.#next = url;
    if (isEnding) return;
    report("started again, because the program serves no server that can be swapped");
    if (this.#child) this.#disconnect(this.#child);
  }

  async #receive(message: unknown): Promise<void> {
    if (!isObject(message)) return;
    if (message.kind === "served") {
      this.#isServed = true;
      this.#isUnserved = false;
    }
    if (message.kind === "listening") {
      this.#isListening = true;
      if (typeof message.address === "string") this.#events.listening(message.address);
    }
    if (message.kind === "output" && typeof message.text === "string") this.#events.output(message.text);
    if (message.kind !== "loaded" || typeof message.url !== "string") return;
    if (message.outcome === "unserved") this.#isUnserved = !this.#isServed;
    await removeBundle(message.url);
  }

  #ended(code: number): void {
    this.#child = undefined;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined && !this.#isStopping) return this.load(next);
    if (code === 0 || !this.#isListening) this.#isStopping = true;
    if (this.#isStopping) return this.#events.ended(code);
    report(`the server has ended with code ${code}; it starts again after the next change`);
  }
}

/** Milliseconds in which a process has to end: running calls have 10 s by default. */
const longestEnd = 15_000;
