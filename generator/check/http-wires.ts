import type { Revision } from "../../generated/support.ts";
import { isHandshake } from "../../runtime/lifecycle/negotiation.ts";
import type { HttpWireOptions } from "./bare-fetch.ts";
import { Conversation, own } from "./conversation.ts";
import { createHttpWires, HttpWire } from "./http-wire.ts";
import { createSseWires, openSse } from "./sse-wire.ts";
import type { WireFactory } from "./wire.ts";

/**
 * Chooses how a server is reached: by Streamable HTTP, or, where that is refused and the address opens a stream that names another, by HTTP
 * with SSE.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/transports#backwards-compatibility
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

/** Statuses by which servers say that they have no Streamable HTTP. */
const olderServerStatuses: readonly number[] = [400, 404, 405];

/** Milliseconds for an address that may be none of HTTP with SSE: servers that are name the other one at once. */
const endpointTime = 5_000;

async function greet(wire: HttpWire, revision: Revision): Promise<{ readonly status?: number }> {
  const params = { protocolVersion: revision.id, capabilities: own.capabilities, clientInfo: own.info };
  const { exchange } = await new Conversation(wire, revision).ask("initialize", params, { checks: false });
  await wire.close();
  return exchange;
}
