import { settle as settleTurn } from "../../../runtime/testing/manual-clock.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import type { Connection } from "../../../runtime/protocol/peer/peer.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";

/** The revisions that open a session, newest first. */
export const handshakeRevisions: readonly Revision[] = revisions.filter(({ lifecycle }) => lifecycle === "handshake");

/** A client in a session with a server, and what the server told it. */
export interface Connected {
  readonly client: ClientConnection;
  readonly connection: Connection;
  /** Names of the notifications, and the URI where there is one. */
  readonly notices: string[];
}

/** The newest revision that opens a session. */
export function newest(): Revision {
  const [first] = handshakeRevisions;
  if (!first) throw new Error("no revision to test");
  return first;
}

/** Connects in memory; closing the client ends both. */
export async function open(server: Server, revision = newest()): Promise<Connected> {
  const [near, far] = createInMemoryTransports();
  const notices: string[] = [];
  const note = (name: string) => (params: unknown) => {
    notices.push(isObject(params) && typeof params.uri === "string" ? `${name} ${params.uri}` : name);
  };
  const names = ["toolListChanged", "resourceListChanged", "promptListChanged", "resourceUpdated"];
  const handlers = Object.fromEntries(names.map((name) => [name, note(name)]));
  const connection = serve(server, far);
  const client = await connect(near, { info: { name: "test", version: "1" }, revisions: [revision], handlers });
  await client.request("ping");
  return { client, connection, notices };
}

/** Waits until everything that was announced has arrived. Changes of lists are announced by a timer of no length. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  await settleTurn();
}
