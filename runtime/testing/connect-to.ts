import { createUntypedClient } from "../client/create-client.ts";
import type { ClientOptions } from "../client/options.ts";
import type { ClientTypes } from "../client/protocol.ts";
import type { ClientSession } from "../client/session.ts";
import { connect } from "../client/client.ts";
import type { ClientSource } from "../client/source.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "../server/serve.ts";
import type { Server } from "../server/server.ts";
import { createMemoryPair } from "../transport/memory.ts";

/** What the client in a test answers, and how both sides behave; everything has a default. */
export type ConnectToOptions<P extends ClientTypes> = Partial<ClientOptions<P>> & {
  /** How the server's side of the connection behaves. */
  readonly serving?: ServerConnectionOptions;
};

/**
 * A client of a server, in this process and without a port: `await using client = await connectTo<Declarations>(server)`. Closing
 * it closes the server's side too. It speaks the newest of the server's revisions, unless `revisions` names others.
 */
export function connectTo<P extends ClientTypes>(
  server: Server,
  options?: ConnectToOptions<P>,
): Promise<ClientSession<P>>;
export function connectTo(server: Server, options: UntypedOptions = {}): Promise<object> {
  const { serving = {}, ...given } = options;
  const accept = createServerAcceptor(server, { ...(given.clock && { clock: given.clock }), ...serving });
  const source: ClientSource = {
    info: { name: "test", version: "1" },
    revisions: server.revisions,
    ...given,
  };
  return createUntypedClient(source).connect((opening) => {
    const [clientEnd, serverEnd] = createMemoryPair(given.limits);
    accept(serverEnd);
    return connect(clientEnd, opening);
  });
}

type UntypedOptions = Partial<ClientSource> & { readonly serving?: ServerConnectionOptions };
