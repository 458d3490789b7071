import type { Revision } from "../../../generated/support.ts";
import { isHandshake } from "../../../runtime/lifecycle/negotiation.ts";
import type { HttpWireOptions } from "./raw-fetch.ts";
import { Conversation, own } from "../conversation.ts";
import { createHttpWires, HttpWire } from "./http-wire.ts";
import { createSseWires, openSse } from "./sse-wire.ts";
import type { WireFactory } from "./wire.ts";

/**
 * Chooses the transport to a server: Streamable HTTP; or HTTP with SSE, if the server rejects the former and the address opens a stream with the name
 * of an endpoint.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export async function chooseHttpWires(options: HttpWireOptions, revisions: readonly Revision[]): Promise<WireFactory> {
  const streamable = createHttpWires(options);
  const revision = revisions.find(isHandshake);
  if (!revision) return streamable;
  const { status } = await greet(new HttpWire(options), revision);
  if (status === undefined || !olderServerStatuses.includes(status)) return streamable;
  const wire = await openSse({ ...options, timeout: Math.min(options.timeout, endpointTime) });
  await wire.close();
  return wire.endpoint.kind === "missing" ? streamable : createSseWires(options);
}

/** HTTP statuses of servers without Streamable HTTP. */
const olderServerStatuses: readonly number[] = [400, 404, 405];

/**
 * Milliseconds to wait for an endpoint, at an address that may not offer HTTP with SSE. Servers with this transport name their endpoint immediately.
 */
const endpointTime = 5_000;

async function greet(wire: HttpWire, revision: Revision): Promise<{ readonly status?: number }> {
  const params = { protocolVersion: revision.id, capabilities: own.capabilities, clientInfo: own.info };
  const { exchange } = await new Conversation(wire, revision).ask("initialize", params, { checks: false });
  await wire.close();
  return exchange;
}
