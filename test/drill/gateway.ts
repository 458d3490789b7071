import { isObject, type Revision } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { createGateway, type Gateway } from "../../runtime/gateway/gateway.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { converse } from "./conversation.ts";
import { defineDrilled } from "./definition.ts";
import { after, type Drawn } from "./draw.ts";
import { connectInProcess } from "./memory.ts";
import type { Step } from "./step.ts";

/** Serves a server of the oldest revision to a client of each revision. */
export async function serveOldest(step: Step, drawn: Drawn, revisions: readonly Revision[]): Promise<void> {
  const oldest = revisions.slice(-1);
  const tools = [{ name: "echo", execute: () => "echoed" }];
  const server = createServer({ name: "old", version: "1", tools }, oldest);
  const gateway = await createGateway(connectInProcess(server), { revisions });
  step.expect("revision of the server", gateway.revision.id, oldest[0]?.id);
  for (const revision of revisions) {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const client = await connect(near, { info: { name: "drill", version: "1" }, revisions: [revision] });
    const called = await client.request("tools/call", { name: "echo" });
    const content = isObject(called) ? called.content : undefined;
    step.expect(`a call at ${revision.id}`, content, [{ type: "text", text: "echoed" }]);
    const { method, param } = drawn.method;
    const found = await client.request(method, { [param]: "a" }).catch((error: unknown) => error);
    step.check(`${method} is rejected at ${revision.id}`, found instanceof Error, found);
    await client.close();
  }
  await gateway.close();
}

/** Serves a server of the fictional revision to a client of each revision, which the gateway converts its messages for. */
export async function serveNewest(step: Step, drawn: Drawn, revisions: readonly Revision[]): Promise<void> {
  const server = defineDrilled(
    drawn,
    revisions.filter(({ id }) => id === after),
  );
  const gateway = await createGateway(connectInProcess(server), { revisions });
  for (const revision of revisions) await converse({ step, drawn, revision, connect: connectTo(gateway) });
  await gateway.close();
}

function connectTo(gateway: Gateway): ConnectionFactory {
  return (opening) => {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    return connect(near, opening);
  };
}
