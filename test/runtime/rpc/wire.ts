import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { encode } from "../../../runtime/codec/json.ts";
import { LineDecoder } from "../../../runtime/codec/lines.ts";
import { createAcceptor, type ServeOptions } from "../../../runtime/lifecycle/handshake.ts";
import type { Channel, Receiver } from "../../../runtime/rpc/channel.ts";
import { toLimits } from "../../../runtime/rpc/limits.ts";
import type { Outgoing, RequestId } from "../../../runtime/rpc/message.ts";
import type { Connection } from "../../../runtime/rpc/peer.ts";
import type { Report } from "../../../runtime/rpc/report.ts";
import { handshakeRevisions } from "../fixture-revision.ts";

/** The foreign end of a connection, as raw text. */
export class Wire implements Channel {
  /** What our side sent and nobody has looked at yet. */
  readonly sent: unknown[] = [];
  readonly related: (RequestId | undefined)[] = [];
  readonly abandoned: RequestId[] = [];
  isClosed = false;
  receiver: Receiver | undefined;
  #decoder: LineDecoder | undefined;
  readonly #limits: Parameters<typeof toLimits>[0];

  constructor(limits: Parameters<typeof toLimits>[0] = {}) {
    this.#limits = limits;
  }

  start(receiver: Receiver): void {
    this.receiver = receiver;
    this.#decoder = new LineDecoder(toLimits(this.#limits), receiver);
  }

  send(message: Outgoing, related?: RequestId): void {
    this.sent.push(JSON.parse(encode(message)));
    this.related.push(related);
  }

  abandon(id: RequestId): void {
    this.abandoned.push(id);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** What the foreign end writes, as it stands. */
  write(text: string | Uint8Array): void {
    this.#decoder?.push(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  /** What the foreign end sends, one message a line. */
  post(...messages: unknown[]): void {
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }
}

/** `initialize` for a revision, as a client would send it. */
export function initialize(protocolVersion: string, capabilities: object = {}, id: RequestId = 0): object {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  return { jsonrpc: "2.0", id, method: "initialize", params };
}

export const initialized: object = { jsonrpc: "2.0", method: "notifications/initialized" };

/** Lets everything run that is ready to run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export interface Served {
  readonly wire: Wire;
  readonly connection: Connection;
  readonly reports: Report[];
}

/** A server on a raw wire. With `revision`, the handshake is done already. */
export async function serveWire(
  options: Partial<ServeOptions> & { readonly clientCapabilities?: object } = {},
  revision?: string,
): Promise<Served> {
  const wire = new Wire(options.limits);
  const reports: Report[] = [];
  const connection = createAcceptor({
    info: { name: "server", version: "1" },
    revisions: handshakeRevisions,
    handlers: {},
    onError: (report) => reports.push(report),
    ...options,
  })(wire);
  if (revision !== undefined) {
    wire.post(initialize(revision, options.clientCapabilities), initialized);
    await settle();
    wire.sent.length = 0;
  }
  return { wire, connection, reports };
}

/** Who speaks (`>` the foreign end, `<` we), and what; text is written raw, `jsonrpc` is added to objects that lack it. */
export type Line = readonly [">" | "<", unknown];

/** Plays one side of a conversation and compares the other. After each turn of ours, nothing else may have been said. */
export async function play(wire: Wire, script: readonly Line[]): Promise<void> {
  for (const [index, [direction, body]] of script.entries()) {
    if (direction === ">") {
      if (typeof body === "string") wire.write(`${body}\n`);
      else wire.post(complete(body));
      await settle();
      continue;
    }
    const position = wire.sent.findIndex((message) => isDeepStrictEqual(message, complete(body)));
    if (position !== -1) wire.sent.splice(position, 1);
    else expect(wire.sent, `line ${index + 1} of the transcript`).toContainEqual(complete(body));
  }
  expect(wire.sent).toEqual([]);
}

function complete(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(complete);
  return typeof body === "object" && body !== null && !("jsonrpc" in body) ? { jsonrpc: "2.0", ...body } : body;
}
