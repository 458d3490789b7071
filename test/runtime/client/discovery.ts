import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import type { ClientConnection, ConnectOptions } from "../../../runtime/client/connect.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import type { Wire } from "../../../runtime/testing/wire.ts";
import { openWire } from "./raw-server.ts";

/** Result of `server/discover` of a server without sessions. */
export const discovered = {
  resultType: "complete",
  supportedVersions: [statelessRevision.id],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** Client that connects to a raw wire. */
export interface Opened {
  readonly wire: Wire;
  readonly connecting: Promise<ClientConnection>;
}

/** Opens a client of every revision, which has sent its first request. */
export async function begin(options: Partial<ConnectOptions> = {}): Promise<Opened> {
  const opened = openWire({ revisions, clock: new ManualClock(), ...options });
  await settle();
  return opened;
}

/** Returns the methods of what was sent. */
export function methods({ sent }: Wire): unknown[] {
  return sent.map((message) => isObject(message) && message.method);
}

/** Creates an error response, by default one that the method does not exist. */
export function errorResponse(id: number, code = -32601, data?: object): object {
  return { jsonrpc: "2.0", id, error: { code, message: "no", ...(data && { data }) } };
}
