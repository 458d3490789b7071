import { extension } from "../../../../generated/extensions/tasks/index.ts";
import type { Revision } from "../../../../generated/support.ts";
import { connect, type ClientConnection, type ConnectOptions } from "../../../../runtime/client/connect.ts";
import { withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { discovered } from "../discovery.ts";

/** Connection with a server inside the test. */
export interface Line {
  readonly wire: Wire;
  readonly connection: ClientConnection;
}

const [withTasks = statelessRevision] = withExtensions([statelessRevision], [extension]);

/** Revision with the tasks extension. */
export const taskRevision: Revision = withTasks;

/** Connects at a revision, by default the one with the tasks extension. The server declares the extension. */
export async function openLine(options: Partial<ConnectOptions> = {}, declared: object = { tools: {} }): Promise<Line> {
  const wire = new Wire();
  const info = { name: "c", version: "1" };
  const connecting = connect(wire, { info, revisions: [taskRevision], ...options });
  wire.post({ jsonrpc: "2.0", id: 1, result: { ...discovered, capabilities: declared } });
  const connection = await connecting;
  await settle();
  wire.sent.splice(0);
  return { wire, connection };
}

/** Capabilities of a server with the tasks extension. */
export const declaringTasks: object = { tools: {}, extensions: { [extension.id]: {} } };
