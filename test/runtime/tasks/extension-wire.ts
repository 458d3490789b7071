import { findMethod } from "../../../runtime/protocol/methods/method-rows.ts";
import { extension } from "../../../generated/extensions/tasks/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Check, type RequestRow } from "../../../generated/support.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { meta, request } from "../../kit/messages.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { patience } from "../../kit/time.ts";
import type { Message } from "./task-wire.ts";

/** Capabilities of a client with tasks. */
export const declaring: object = { extensions: { [extension.id]: {} }, elicitation: { form: {} } };

/** A server of tasks at the newest revision, and who asks it. */
export interface Asked {
  readonly server: Server;
  readonly wire: Wire;
  /** The result or the error of a request; results about tasks fit the checks of the extension, or the test fails. */
  request(method: string, params?: object, more?: CheckedRequestOptions): Promise<Message>;
  /** Asks for a task until it has this status. */
  until(taskId: unknown, status: string): Promise<Message>;
}

/** Options of a request. */
export interface CheckedRequestOptions {
  readonly capabilities?: object;
  readonly principal?: string;
}

/** Serves tools to somebody who declares tasks, unless a request says otherwise. */
export function serveExtension(source: Partial<AnyServerDefinition>): Asked {
  const server = createServer({ name: "server", version: "1", onError: () => {}, ...source }, revisions);
  const wire = new Wire();
  createServerAcceptor(server)(wire);
  let id = 0;
  const send: Asked["request"] = async (method, params = {}, { capabilities = declaring, principal } = {}) => {
    id += 1;
    const mine = id;
    const origin = principal === undefined ? undefined : { identity: { principal } };
    wire.receiver?.message(request(mine, method, params, { [meta.capabilities]: capabilities }), origin);
    const response = await receive(wire, (message) => message.id === mine);
    if (isObject(response.error)) return response.error;
    return verify(method, isObject(response.result) ? response.result : {});
  };
  const until: Asked["until"] = async (taskId, status) => {
    for (const end = performance.now() + patience; performance.now() < end; await settle()) {
      const task = await send("tasks/get", { taskId });
      if (task.status === status) return task;
    }
    throw new Error(`The task never was ${status}`);
  };
  return { server, wire, request: send, until };
}

/** The next message like this; it is taken out of what was said. */
export async function receive(wire: Wire, fits: (message: Message) => boolean): Promise<Message> {
  for (const end = performance.now() + patience; performance.now() < end; await settle()) {
    const at = wire.sent.findIndex((message) => isObject(message) && fits(message));
    const [found] = at === -1 ? [] : wire.sent.splice(at, 1);
    if (isObject(found)) return found;
  }
  throw new Error(`Not said. Instead: ${JSON.stringify(wire.sent)}`);
}

function verify(method: string, result: Message): Message {
  const created: Check | undefined = extension.results[0]?.check;
  const check =
    result.resultType === "task" ? created : findMethod<RequestRow>(extension.clientRequests, method)?.result;
  const issue = check?.(result);
  if (issue) throw new Error(`${method} at ${issue.path}: ${issue.expected}`);
  return result;
}
