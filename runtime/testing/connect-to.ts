import type { Revision } from "../../generated/support.ts";
import { createUntypedClient } from "../client/create-client.ts";
import type { ClientOptions } from "../client/options.ts";
import type { ClientTypes } from "../client/protocol-types.ts";
import type { ClientSession } from "../client/session/session.ts";
import { connect } from "../client/connect.ts";
import type { AnyClientOptions } from "../client/any-definition.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "../server/run/acceptor.ts";
import type { Server } from "../server/create-server.ts";
import { createInMemoryTransports } from "../transport/memory.ts";

/** What the client in a test answers, and how both sides behave; everything has a default. */
export type ConnectToOptions<P extends ClientTypes> = Partial<ClientOptions<P>> & {
  /** How the server's side of the connection behaves. */
  readonly serving?: ServerConnectionOptions;
};

/**
 * A server that can be tested: one of this package, or one of a layer that it wrote into a project, whose types are of that project.
 */
export interface TestableServer {
  readonly info: { readonly name: string };
  readonly revisions: readonly { readonly id: string }[];
  readonly createAcceptor: (options: never) => unknown;
  implement(revision: never): unknown;
  join?(connection: never): void;
}

/**
 * A client of a server, in this process and without a port: `await using client = await connectInMemory<Declarations>(server)`. Closing
 * it closes the server's side too. It speaks the newest of the server's revisions, unless `revisions` names others.
 */
export function connectInMemory<P extends ClientTypes>(
  server: TestableServer,
  options?: ConnectToOptions<P>,
): Promise<ClientSession<P>>;
export function connectInMemory(server: TestableServer, options: UntypedOptions = {}): Promise<object> {
  if (!isServer(server)) {
    return Promise.reject(
      new TypeError("This is no server of this version. Write the project's layer anew: npx create-mcp-server update"),
    );
  }
  const { serving = {}, ...given } = options;
  const accept = createServerAcceptor(server, { ...(given.clock && { clock: given.clock }), ...serving });
  const source: AnyClientOptions = {
    info: { name: "test", version: "1" },
    ...given,
    revisions: (given.revisions ?? server.revisions).map(toWhole),
  };
  return createUntypedClient(source).connect((opening) => {
    const [clientEnd, serverEnd] = createInMemoryTransports(given.limits);
    accept(serverEnd);
    return connect(clientEnd, opening);
  });
}

/** Whatever a layer leaves out, these are there. */
function isServer(server: TestableServer): server is Server {
  return ["createAcceptor", "implement", "info", "revisions", "onError"].every((name) => name in server);
}

/** A layer knows nothing of a revision that its server never meets; a client looks for it. */
function toWhole(revision: Revision): Revision {
  return Object.keys(nothing).every((fact) => fact in revision) ? revision : { ...nothing, ...revision };
}

const nothing = {
  polling: false,
  headers: [],
  serverRequests: {},
  embeddedRequests: {},
  capabilities: { client: [], server: [] },
} as const;

type UntypedOptions = Partial<AnyClientOptions> & { readonly serving?: ServerConnectionOptions };
