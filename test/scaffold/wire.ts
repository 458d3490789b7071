import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isObject } from "../../templates/support.ts";

/** A built server and the lines that go to and from it. Every line that it writes is kept. */
export class Wire {
  readonly received: unknown[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #meta: object | undefined;
  #id = 0;

  /** @param meta - what every request says about itself, where requests stand alone */
  constructor(folder: string, meta?: object) {
    this.#meta = meta;
    this.#child = spawn(process.execPath, ["dist/server.js"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Writes a line as it is. */
  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Sends a request and returns its response. */
  async request(method: string, params?: object): Promise<Record<string, unknown>> {
    const id = ++this.#id;
    const sent = this.#meta ? { ...params, _meta: this.#meta } : params;
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, ...(sent && { params: sent }) }));
    for (;;) {
      const message = await this.next();
      if (message.id === id) return message;
    }
  }

  /** The next message of the server. */
  async next(): Promise<Record<string, unknown>> {
    const line = await this.#lines.next();
    if (line.done === true) throw new Error("The server closed its stdout.");
    const message: unknown = JSON.parse(line.value);
    this.received.push(message);
    if (!isObject(message)) throw new Error(`Not a message: ${line.value}`);
    return message;
  }

  /** Closes stdin and resolves to the exit code, after which nothing may be left on stdout. */
  async end(): Promise<unknown> {
    const exit = once(this.#child, "exit");
    this.#child.stdin.end();
    const [code] = await exit;
    const left = await this.#lines.next();
    if (left.done !== true) throw new Error(`Unasked for: ${left.value}`);
    return code;
  }
}
