import { createAcceptor, type ServeOptions } from "../../runtime/lifecycle/acceptor.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { Connection } from "../../runtime/protocol/peer/peer.ts";
import type { ErrorReport } from "../../runtime/jsonrpc/error-report.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { runTranscript } from "../../runtime/testing/transcript.ts";
import { Wire } from "../../runtime/testing/wire.ts";
import { handshakeRevisions } from "./fixture-revision.ts";

export { Wire, runTranscript, settle };

/** `initialize` for a revision, as a client would send it. */
export function initialize(protocolVersion: string, capabilities: object = {}, id: RequestId = 0): object {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  return { jsonrpc: "2.0", id, method: "initialize", params };
}

export const initialized: object = { jsonrpc: "2.0", method: "notifications/initialized" };

export interface Served {
  readonly wire: Wire;
  readonly connection: Connection;
  readonly reports: ErrorReport[];
}

/** A server on a raw wire. With `revision`, the handshake is done already. */
export async function serveWire(
  options: Partial<ServeOptions> & { readonly clientCapabilities?: object } = {},
  revision?: string,
): Promise<Served> {
  const wire = new Wire(options.limits);
  const reports: ErrorReport[] = [];
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

/** Sender of a message (`>` the other peer, `<` this one), and the message. */
export type Line = readonly [">" | "<", unknown];
