import { settle as settleTurn } from "../../../runtime/testing/manual-clock.ts";
import { isObject } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import type { Connection } from "../../../runtime/protocol/peer/peer.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { newest } from "../../kit/revisions.ts";

/** A client in a session with a server, and what the server told it. */
export interface Connected {
  readonly client: ClientConnection;
  readonly connection: Connection;
  /** Names of the notifications, and the URI where there is one. */
  readonly notices: string[];
}

/** Connects in memory; closing the client ends both. */
export async function open(server: Server, revision = newest): Promise<Connected> {
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
