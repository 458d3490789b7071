import { isObject } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { after } from "./draw.ts";
import type { TableChecks } from "./tables.ts";

/** Returns a connection factory for a server in this process. */
export function connectInProcess(server: Server): ConnectionFactory {
  return (opening) => {
    const [near, far] = createInMemoryTransports();
    serve(server, far);
    return connect(near, opening);
  };
}

/** A client handles the new notification by its name, after its params are checked. A handler of the server sends it by its name. */
export async function receiveNotification({ step, drawn, revision }: TableChecks, server: Server): Promise<void> {
  const { method, handler, param } = drawn.notification;
  const isNew = revision.id === after;
  const received: unknown[] = [];
  const [near, far] = createInMemoryTransports();
  serve(server, far);
  const connection = await connect(near, {
    info: { name: "drill", version: "1" },
    revisions: [revision],
    handlers: { [handler]: (params: unknown) => void received.push(params) },
  });
  for (const params of [{ [param]: 1 }, { [param]: "a" }]) await far.send({ jsonrpc: "2.0", method, params });
  // Messages arrive in order: the notifications have arrived before this result.
  await connection.request("tools/list", {});
  step.expect(`${method} at ${revision.id}`, received, isNew ? [{ [param]: "a" }] : []);
  const called = await connection.request("tools/call", { name: "notify" });
  const isFailed = isObject(called) && called.isError === true;
  step.expect(`a handler fails that sends ${method} at ${revision.id}`, isFailed, !isNew);
  step.expect(`${method} of a handler at ${revision.id}`, received.slice(1), isNew ? [{ [param]: "b" }] : []);
  await connection.close();
}
