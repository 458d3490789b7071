import { isObject, type Revision } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import type { Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** Serves a server of the oldest revision to a client of each revision. */
export async function serveOldest(step: Step, drawn: Drawn, revisions: readonly Revision[]): Promise<void> {
  const oldest = revisions.at(-1);
  if (!oldest) throw new Error("There are no revisions");
  const tools = [{ name: "echo", execute: () => "echoed" }];
  const server = createServer({ name: "old", version: "1", tools }, [oldest]);
  const gateway = await createGateway(
    (opening) => {
      const [near, far] = createInMemoryTransports();
      serve(server, far);
      return connect(near, opening);
    },
    { revisions },
  );
  step.expect("revision of the server", gateway.revision.id, oldest.id);
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
