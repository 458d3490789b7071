import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { isObject } from "../../../generated/support.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import type { TaskKey, TaskRecord, TaskStore } from "../../../runtime/stores/task-store.ts";
import { forRevisions, type RevisionDefiners } from "../../../runtime/server/for-revisions.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "../../../runtime/server/run/acceptor.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { patience } from "../../kit/time.ts";

export const { defineTool }: RevisionDefiners<Declarations> = forRevisions<Declarations>([]);

export const relatedKey = "io.modelcontextprotocol/related-task";

export type Message = Readonly<Record<string, unknown>>;

/** The foreign end of a wire, as somebody who asks and looks at what comes. */
export class RawPeer {
  readonly wire: Wire;
  #lastId = 100;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  /** Sends a request, and returns its response. */
  async request(method: string, params?: object): Promise<Message> {
    const id = this.post(method, params);
    return this.receive((message) => message.id === id && message.method === undefined);
  }

  /** The result of a request; an error makes the test fail. */
  async call(method: string, params?: object): Promise<Message> {
    const { result, error } = await this.request(method, params);
    if (!isObject(result)) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    return result;
  }

  /** The code and message of the error that a request gets. */
  async errorOf(method: string, params?: object): Promise<Message> {
    const { error } = await this.request(method, params);
    if (!isObject(error)) throw new Error(`${method} did not fail`);
    return error;
  }

  post(method: string, params?: object): number {
    this.#lastId += 1;
    this.wire.post({ jsonrpc: "2.0", id: this.#lastId, method, ...(params && { params }) });
    return this.#lastId;
  }

  notify(method: string, params: object): void {
    this.wire.post({ jsonrpc: "2.0", method, params });
  }

  respond(request: Message, result: object): void {
    this.wire.post({ jsonrpc: "2.0", id: request.id, result });
  }

  /** The next message like this; it is taken out of what was said. */
  async receive(fits: (message: Message) => boolean): Promise<Message> {
    for (const end = performance.now() + patience; performance.now() < end; await settle()) {
      const at = this.wire.sent.findIndex((message) => isObject(message) && fits(message));
      const [found] = at === -1 ? [] : this.wire.sent.splice(at, 1);
      if (isObject(found)) return found;
    }
    throw new Error(`Not said. Instead: ${JSON.stringify(this.wire.sent)}`);
  }

  receiveRequest(method: string): Promise<Message> {
    return this.receive((message) => message.method === method);
  }

  /** The params of all notifications of this kind so far. */
  notificationsOf(method: string): Message[] {
    const sent = this.wire.sent.filter(isObject).filter((message) => message.method === method);
    return sent.map(({ params }) => (isObject(params) ? params : {}));
  }

  /** Starts a tool as a task, and gives the id of the task. */
  async start(name: string, more: object = {}): Promise<string> {
    return readId(await this.call("tools/call", { name, task: {}, ...more }));
  }

  /** Asks until the task has this status. */
  async until(taskId: string, status: string): Promise<Message> {
    for (const end = performance.now() + patience; performance.now() < end;) {
      const task = await this.call("tasks/get", { taskId });
      if (task.status === status) return task;
      await settle();
    }
    throw new Error(`The task never was ${status}`);
  }
}

export interface Served {
  readonly client: RawPeer;
  readonly server: Server;
  readonly reports: ErrorReport[];
  /** Another client of the same server. */
  join(): Promise<RawPeer>;
  /** Capabilities that the server declared. */
  readonly declared: unknown;
}

export interface ServeSetup {
  /** Capabilities that the client declares. */
  readonly capabilities?: object;
  readonly revision?: string;
  readonly serving?: ServerConnectionOptions;
}

/** A server with tools, and a client of it on a raw wire. */
export async function serveTasks(
  source: Partial<AnyServerDefinition>,
  { capabilities = {}, revision = newest.id, serving = {} }: ServeSetup = {},
): Promise<Served> {
  const reports: ErrorReport[] = [];
  const definition = {
    name: "server",
    version: "1",
    onError: (report: ErrorReport) => reports.push(report),
    ...source,
  };
  const server = createServer(definition, handshakeRevisions);
  const accept = createServerAcceptor(server, serving);
  const join = async (): Promise<{ readonly peer: RawPeer; readonly welcome: unknown }> => {
    const wire = new Wire();
    accept(wire);
    wire.post(initialize(revision, capabilities), initialized);
    await settle();
    const [welcome] = wire.sent.splice(0, 1);
    return { peer: new RawPeer(wire), welcome };
  };
  const { peer, welcome } = await join();
  const declared: unknown = Reflect.get(Object(Reflect.get(Object(welcome), "result")), "capabilities");
  return { client: peer, server, reports, declared, join: async () => (await join()).peer };
}

/** Finds a task in a store that may be delayed. */
export async function findTask(store: Pick<TaskStore, "find">, key: TaskKey): Promise<TaskRecord | undefined> {
  return store.find(key);
}

/** The id in the result of a request that became a task. */
export function readId(created: Message): string {
  const { task } = created;
  if (!isObject(task) || typeof task.taskId !== "string") throw new Error("No task was created");
  return task.taskId;
}

/** `_meta` of a message that belongs to a task. */
export function related(taskId: string): object {
  return { [relatedKey]: { taskId } };
}
