import type { MessageSocket } from "../../../runtime/transport/websocket/websocket-transport.ts";
import { explainCause } from "../../../generator/internal/user-error.ts";
import { isLoopback } from "./raw-fetch.ts";
import { keep, ReceivedMessages } from "./received-messages.ts";
import type { Wire, WireFactory } from "./wire.ts";

/** Options of a WebSocket connection to a server. */
export interface WebSocketWireOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds to wait for the connection, and for each response. */
  readonly timeout: number;
}

/** Creates connections to a server over WebSocket: one message in each text frame. */
export function createWebSocketWires(options: WebSocketWireOptions): WireFactory {
  return { transport: "websocket", open: () => WebSocketWire.open(options) };
}

/** One WebSocket connection to a server. */
export class WebSocketWire implements Wire {
  readonly transport = "websocket";
  readonly #options: WebSocketWireOptions;
  readonly #received = new ReceivedMessages();
  readonly #socket: MessageSocket;
  readonly #opened: Promise<void>;
  readonly #closed: Promise<void>;
  #silence = "";
  #isOpen = false;

  private constructor(options: WebSocketWireOptions, socket: MessageSocket) {
    this.#options = options;
    this.#socket = socket;
    let open = (): void => {};
    let close = (): void => {};
    this.#opened = new Promise((resolve) => (open = resolve));
    this.#closed = new Promise((resolve) => (close = resolve));
    this.#socket.listen({
      opened: () => {
        this.#isOpen = true;
        open();
      },
      text: (text) => this.#received.takeText(text),
      binary: () => keep(this.#received.strayData, { kind: "text", text: "(a binary frame)" }),
      closed: (reason) => {
        this.#end(reason);
        close();
      },
    });
  }

  /** Resolves when the connection is open or has failed. */
  static async open(options: WebSocketWireOptions): Promise<WebSocketWire> {
    const { url, headers, timeout } = options;
    // Imported lazily: only WebSocket connections need the library.
    const { createWsSocket } = await import("../../../runtime/transport/websocket/ws-package.ts");
    const socket = createWsSocket(url, { headers, connection: { handshakeTimeout: timeout } });
    const wire = new WebSocketWire(options, socket);
    await Promise.race([wire.#opened, wire.#closed]);
    return wire;
  }

  get unsolicited(): ReceivedMessages["unsolicited"] {
    return this.#received.unsolicited;
  }

  get strayData(): ReceivedMessages["strayData"] {
    return this.#received.strayData;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get silence(): string {
    return this.#silence;
  }

  /** True if the server is on this machine. */
  get isLoopback(): boolean {
    return isLoopback(this.#options.url);
  }

  /** Opens another connection, with additional headers. */
  reopen(headers: Readonly<Record<string, string>>): Promise<WebSocketWire> {
    return WebSocketWire.open({ ...this.#options, headers: { ...this.#options.headers, ...headers } });
  }

  exchange(...[message, { id, signal } = {}]: Parameters<Wire["exchange"]>): ReturnType<Wire["exchange"]> {
    const response = id === undefined ? undefined : this.#received.wait(id, this.#options.timeout, signal);
    this.#send(JSON.stringify(message));
    return response ?? Promise.resolve({});
  }

  sendText(text: string): ReturnType<Wire["sendText"]> {
    this.#send(text);
    return Promise.resolve({});
  }

  async close(): Promise<{ readonly wasKilled: boolean }> {
    const late = setTimeout(() => this.#socket.terminate(), closeTime);
    this.#socket.close(1000, "");
    await this.#closed;
    clearTimeout(late);
    return { wasKilled: false };
  }

  #send(text: string): void {
    if (this.isOpen) void this.#socket.send(text);
  }

  #end(reason: Error | undefined): void {
    this.#isOpen = false;
    this.#silence ||= reason === undefined ? "it closed the connection" : explainCause(reason);
    this.#received.end();
  }
}

/** Milliseconds for the closing handshake. */
const closeTime = 1_000;
