import { connect, type Socket } from "node:net";
import { explainCause } from "../../../generator/internal/user-error.ts";
import { LineReader } from "./line-reader.ts";
import type { Wire, WireFactory } from "./wire.ts";

/** Options of a TCP connection to a server. */
export interface TcpWireOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds to wait for a response. */
  readonly timeout: number;
}

/** Creates connections to a server over TCP: one message per line. */
export function createTcpWires(options: TcpWireOptions): WireFactory {
  return { transport: "tcp", open: () => Promise.resolve(new TcpWire(options)) };
}

/** One TCP connection. Messages sent before it is open wait for it. */
export class TcpWire implements Wire {
  readonly transport = "tcp";
  readonly #options: TcpWireOptions;
  readonly #reader = new LineReader();
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #silence = "";

  constructor(options: TcpWireOptions) {
    this.#options = options;
    this.#socket = connect({ host: options.host, port: options.port });
    this.#socket.setEncoding("utf8").on("data", (text: string) => this.#reader.push(text));
    this.#socket.on("end", () => this.#end("it closed the connection"));
    this.#socket.on("error", (error) => this.#end(explainCause(error)));
    this.#closed = new Promise((done) => this.#socket.once("close", () => done(this.#end(""))));
  }

  get unsolicited(): LineReader["unsolicited"] {
    return this.#reader.unsolicited;
  }

  get strayData(): LineReader["strayData"] {
    return this.#reader.strayData;
  }

  get isOpen(): boolean {
    return this.#reader.isOpen;
  }

  get silence(): string {
    return this.#silence;
  }

  /** True if the server is on this machine. */
  get isLoopback(): boolean {
    return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(this.#options.host);
  }

  /** Opens another connection to the same server. */
  reopen(): TcpWire {
    return new TcpWire(this.#options);
  }

  exchange(...[message, { id, signal } = {}]: Parameters<Wire["exchange"]>): ReturnType<Wire["exchange"]> {
    const response = id === undefined ? undefined : this.#reader.wait(id, this.#options.timeout, signal);
    this.#write(JSON.stringify(message));
    return response ?? Promise.resolve({});
  }

  sendText(text: string): ReturnType<Wire["sendText"]> {
    this.#write(text);
    return Promise.resolve({});
  }

  async close(): Promise<{ readonly wasKilled: boolean }> {
    const late = setTimeout(() => this.#socket.destroy(), closeTime);
    this.#socket.end();
    await this.#closed;
    clearTimeout(late);
    return { wasKilled: false };
  }

  #write(text: string): void {
    if (this.isOpen) this.#socket.write(`${text}\n`);
  }

  #end(reason: string): void {
    this.#silence ||= reason;
    this.#reader.end();
  }
}

/** Milliseconds to wait until the server closes its side. */
const closeTime = 1_000;
