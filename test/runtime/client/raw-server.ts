import { connect, type ClientConnection, type ConnectOptions } from "../../../runtime/client/connect.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

/** The result of `initialize`, as a server would give it. */
export function welcome(protocolVersion: string, capabilities: object = { tools: {} }): object {
  return { protocolVersion, capabilities, serverInfo: { name: "server", version: "2" }, instructions: "Be kind" };
}

/** A client whose server is a raw wire; it has no response yet. */
export function openWire(options: Partial<ConnectOptions> = {}): {
  readonly wire: Wire;
  readonly reports: ErrorReport[];
  readonly connecting: Promise<ClientConnection>;
} {
  const wire = new Wire(options.limits);
  const reports: ErrorReport[] = [];
  const connecting = connect(wire, {
    info: { name: "client", version: "1" },
    revisions: handshakeRevisions,
    onError: (report) => reports.push(report),
    ...options,
  });
  connecting.catch(() => {});
  return { wire, reports, connecting };
}

/** A connected client whose server is a raw wire. */
export async function connectWire(
  options: Partial<ConnectOptions> = {},
  server: { readonly revision?: string; readonly capabilities?: object } = {},
): Promise<{ readonly wire: Wire; readonly client: ClientConnection; readonly reports: ErrorReport[] }> {
  const { wire, connecting, reports } = openWire(options);
  wire.post({ jsonrpc: "2.0", id: 1, result: welcome(server.revision ?? newest.id, server.capabilities) });
  const client = await connecting;
  await settle();
  wire.sent.length = 0;
  return { wire, client, reports };
}
