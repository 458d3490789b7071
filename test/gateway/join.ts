import type { Revision } from "../../generated/support.ts";
import { connect, type ClientConnection } from "../../runtime/client/client.ts";
import type { Gateway } from "../../runtime/gateway/gateway.ts";
import { createMemoryPair } from "../../runtime/transport/memory.ts";

/** A client of a gateway, at one revision. */
export function joinGateway(
  gateway: Gateway,
  revision: Revision,
  { handlers = {}, ...capabilities }: { readonly handlers?: object; readonly [capability: string]: unknown } = {},
): Promise<ClientConnection> {
  const [near, far] = createMemoryPair();
  gateway.accept(far);
  return connect(near, { info: { name: "test", version: "1" }, revisions: [revision], capabilities, handlers });
}
