import type { OnError } from "../../jsonrpc/error-report.ts";
import type { GuardOptions } from "../../transport/http-server/identity.ts";
import type { Transport } from "../../transport/transport.ts";
import { closeOnSignal, readHosts, readPortOption, warnUnauthenticated } from "./port-options.ts";
import type { FurtherTransports } from "./run-server.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "./acceptor.ts";

/** A port, with the callback for its connections. */
export interface PortService {
  readonly port: number;
  readonly accept: (transport: Transport) => unknown;
  /** Receives errors from before a connection is served. */
  readonly onError: OnError;
}

/** Address and access rules of a transport that starts with an HTTP request. */
export interface AccessOptions extends GuardOptions {
  readonly host?: string;
}

/** An open listener of a further transport. */
export interface PortListener {
  readonly port?: number;
  readonly url?: string;
  close(): Promise<void>;
}

/** Listens on a port. Transports without `Host`, `Origin` and credentials ignore `access` and serve the local machine only. */
export type Listen = (service: PortService, access: AccessOptions) => Promise<PortListener>;

/**
 * Creates the further transports of a program, keyed by the command-line option with their port.
 *
 * @example
 * ```ts
 * import { runServer } from "mcp-server-runtime";
 * import { createFurtherTransports, listenTcp } from "mcp-server-runtime/transports";
 *
 * const further = createFurtherTransports({ tcp: (service) => listenTcp(service) });
 * await runServer(server, { further }); // `node server.js --tcp 4000`
 * ```
 */
export function createFurtherTransports(transports: Readonly<Record<string, Listen>>): FurtherTransports {
  return {
    names: Object.keys(transports),
    async serve(server, options, ports) {
      const accept = createServerAcceptor(server, options);
      const access: AccessOptions & ServerConnectionOptions = { ...options, ...readHosts() };
      let isServed = false;
      for (const [name, listen] of Object.entries(transports)) {
        const port = readPortOption(ports, name);
        if (port === undefined) continue;
        const listener = await listen({ port, accept, onError: server.onError }, access);
        closeOnSignal(listener);
        // Only transports that start with an HTTP request listen for other machines.
        if (listener.url !== undefined) warnUnauthenticated(server.info.name, access);
        console.error(`${server.info.name} is served at ${listener.url ?? `${name}://127.0.0.1:${listener.port}`}`);
        isServed = true;
      }
      return isServed;
    },
  };
}
