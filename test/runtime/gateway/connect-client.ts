import type { Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { revisions } from "../../../generated/revisions.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";

/** A client of a gateway, at one revision. */
export function joinGateway(
  gateway: Gateway,
  revision: Revision,
  { handlers = {}, ...capabilities }: { readonly handlers?: object; readonly [capability: string]: unknown } = {},
): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  return connect(near, { info: { name: "test", version: "1" }, revisions: [revision], capabilities, handlers });
}

/** A client of a gateway, which its transport has authenticated as a principal. */
export function joinAs(
  gateway: Gateway,
  revision: Revision,
  principal: string,
  handlers: object = {},
): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  const origin = { identity: { principal } };
  const start = far.start.bind(far);
  far.start = (receiver) =>
    start({
      message: (value) => receiver.message(value, origin),
      classified: (incoming) => receiver.classified(incoming, origin),
      problem: (problem) => receiver.problem(problem),
      ended: () => receiver.ended(),
      disconnected: (reason) => receiver.disconnected(reason),
    });
  gateway.accept(far);
  return connect(near, { info: { name: "test", version: "1" }, revisions: [revision], handlers });
}

/** A gateway before an official server of the first generation, over HTTP. What has to be closed again is added to `ends`. */
export async function openGateway(
  create: () => Server,
  { ends, ...options }: Partial<GatewayOptions> & { readonly ends: (() => Promise<void>)[] },
): Promise<Gateway> {
  const upstream = await serveSdk({ create });
  const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, ...options });
  ends.push(
    () => upstream.close(),
    () => gateway.close(),
  );
  return gateway;
}
