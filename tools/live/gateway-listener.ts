import type { Gateway } from "../../runtime/gateway/index.ts";
import { serveGatewayHttp } from "../../runtime/gateway/serve.ts";
import type { ListenOptions } from "../../runtime/index.ts";
import { listenTcp } from "../../runtime/transport/tcp/tcp.ts";
import { toAuthority } from "../../runtime/transport/listening.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/** Address where a gateway listens. */
export interface ListenAddress {
  readonly kind: "http" | "websocket" | "tcp";
  readonly host: string;
  readonly port: number;
}

/** Access rules of a gateway. */
export type Callers = Pick<ListenOptions, "allowedHosts" | "authenticate" | "cluster" | "documents">;

/** Listener of a gateway, with its address. */
export interface GatewayListener {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Reads `HOST:PORT` or `PORT`, with the scheme of the transport unless it is HTTP.
 *
 * @throws {UserError} when the text is no such address.
 */
export function readListenAddress(text: string): ListenAddress {
  const [, scheme = "http", host = "127.0.0.1", digits = ""] =
    /^(?:(http|ws|tcp):\/\/)?(?:(\[[\da-f:]+\]|[^:[\]/]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new UserError(
      `--listen ${text} is not valid; pass HOST:PORT or PORT (0 to 65535, 0 for any free port), optionally with the prefix ws:// or tcp://.`,
    );
  }
  return { kind: kinds[scheme.toLowerCase()] ?? "http", host: host.replace(/^\[(.*)\]$/, "$1"), port };
}

const kinds: Readonly<Record<string, ListenAddress["kind"]>> = { ws: "websocket", tcp: "tcp" };

/** Paths for load balancers, and the time for running calls to finish. */
const probes = { live: "/live", ready: "/ready", health: "/health", closeTimeout: 60_000 } as const;

/** Serves a gateway at an address. Closing the listener leaves the gateway open. */
export async function listenAt(
  gateway: Gateway,
  { kind, host, port }: ListenAddress,
  callers: Callers,
): Promise<GatewayListener> {
  const { accept } = gateway;
  const limits = { exactNumbers: true };
  switch (kind) {
    case "http":
      return serveGatewayHttp(gateway, { ...callers, ...(callers.cluster && probes), host, port });
    case "websocket": {
      // Imported lazily: only WebSocket listeners need the library.
      const { listenWebSocket } = await import("../../runtime/transport/websocket/websocket-server.ts");
      return listenWebSocket({ ...callers, host, port, accept, limits });
    }
    case "tcp": {
      const listener = await listenTcp({ host, port, accept, limits });
      return { url: `tcp://${toAuthority(host)}:${listener.port}`, close: () => listener.close() };
    }
    default:
      return kind satisfies never;
  }
}
