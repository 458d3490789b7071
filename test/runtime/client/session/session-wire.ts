import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient, type UntypedClient } from "../../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { ConnectionFactoryOptions } from "../../../../runtime/client/connection-factory.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { welcome } from "../raw-server.ts";

export interface RawServer {
  readonly revision?: string;
  readonly capabilities?: object;
}

export interface WiredSession {
  readonly client: UntypedClient;
  readonly session: DefaultClientSession;
  readonly reports: ErrorReport[];
  /** One for each connection, the last first. */
  readonly wires: readonly Wire[];
  readonly wire: Wire;
  /** Capabilities that the client declared. */
  readonly declared: unknown;
  readonly opening: ConnectionFactoryOptions;
}

/** A session whose server is a raw wire; every connection gets a new one, which welcomes by itself. */
export async function openSession(
  options: Partial<AnyClientOptions> = {},
  server: RawServer = {},
): Promise<WiredSession> {
  const wires: Wire[] = [];
  const reports: ErrorReport[] = [];
  let opening: ConnectionFactoryOptions | undefined;
  const client = createUntypedClient({
    info: { name: "client", version: "1" },
    revisions: handshakeRevisions,
    onError: (report) => reports.push(report),
    ...options,
  });
  const session = await client.connect((given) => {
    const wire = new Wire();
    wires.unshift(wire);
    opening = given;
    const connecting = connect(wire, given);
    const result = welcome(server.revision ?? newest.id, server.capabilities);
    wire.post({ jsonrpc: "2.0", id: 1, result });
    return connecting;
  });
  const wire = wires[0];
  if (!wire || !opening) throw new Error("nothing was opened");
  const [hello] = wire.sent.splice(0, 2);
  await settle();
  return {
    client,
    session,
    reports,
    wires,
    wire,
    opening,
    declared: Reflect.get(Object(Reflect.get(Object(hello), "params")), "capabilities"),
  };
}
