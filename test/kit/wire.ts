import { createAcceptor, type ServeOptions } from "../../runtime/lifecycle/acceptor.ts";
import type { Connection } from "../../runtime/protocol/peer/peer.ts";
import type { ErrorReport } from "../../runtime/jsonrpc/error-report.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { Wire } from "../../runtime/testing/wire.ts";
import { initialize, initialized } from "./messages.ts";
import { handshakeRevisions } from "./revisions.ts";

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
