import { connect } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { relayedLimits } from "../../runtime/gateway/upstream/upstream-target.ts";
import { EraCache } from "../../runtime/lifecycle/era-cache.ts";
import { createTcpTransport } from "../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../runtime/transport/transport.ts";
import { describeTarget, type Target } from "./target.ts";

/** Target with a transport other than stdio and HTTP. */
export type ConnectionTarget = Extract<Target, { readonly kind: "websocket" | "tcp" }>;

/** Opens connections over WebSocket or TCP. Each connection has its own session. */
export function createSocketOpener(
  target: ConnectionTarget,
  headers: Readonly<Record<string, string>> = {},
): ConnectionFactory {
  const era = new EraCache().noteOf(describeTarget(target));
  return async (options) => connect(await createTransport(target, headers), { ...options, era });
}

async function createTransport(
  target: ConnectionTarget,
  headers: Readonly<Record<string, string>>,
): Promise<Transport> {
  if (target.kind === "tcp") return createTcpTransport({ ...target, limits: relayedLimits });
  // Imported lazily: only WebSocket connections need the library.
  const { createWsTransport } = await import("../../runtime/transport/websocket/ws-package.ts");
  return createWsTransport(target.url, { headers, limits: relayedLimits });
}
