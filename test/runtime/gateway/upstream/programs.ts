import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { requireApiKey } from "../../../../runtime/auth/server/api-key.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../../runtime/gateway/serve.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../../../runtime/server/protocol-types.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta, request } from "../../../kit/messages.ts";

/** Functions that close what a test has opened. */
export type Ends = (() => Promise<void>)[];

/** Program that is started at each connection. */
export interface Program {
  readonly open: ConnectionFactory;
  /** Number of processes that run now. */
  running(): number;
}

/** Creates a program whose processes have nothing in common: each is a server with its own keys and tasks. */
export function createProgramOf(
  define: () => Partial<AnyServerDefinition>,
  revision: Revision = statelessRevision,
): Program {
  let running = 0;
  return {
    running: () => running,
    async open(options) {
      const [near, far] = createInMemoryTransports();
      serve(createServer({ name: "program", version: "1", onError: () => {}, ...define() }, [revision]), far);
      running += 1;
      const connection = await connect(near, options);
      void connection.closed.then(() => (running -= 1));
      return connection;
    },
  };
}

/** Opens a gateway before a program. */
export async function openProgram(
  { open }: Program,
  { ends, ...options }: Partial<GatewayOptions> & { readonly ends: Ends },
): Promise<Gateway> {
  const gateway = await createGateway(open, { revisions, ...options });
  ends.push(() => gateway.close());
  return gateway;
}

/** Connects a client without a session, which declares elicitation and tasks. */
export async function joinStateless(gateway: Gateway, ends: Ends, handlers: object = {}): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  const connection = await connect(near, {
    info: { name: "test", version: "1" },
    revisions: withExtensions([statelessRevision], knownExtensions),
    capabilities: declared,
    handlers,
  });
  ends.push(() => connection.close());
  return connection;
}

/** Sends a stateless request as a principal. Returns the result, or the error. */
export type Post = (principal: string, method: string, params?: object) => Promise<Record<string, unknown>>;

/** Serves a gateway over HTTP to principals with any of the names. */
export async function serveToPrincipals(gateway: Gateway, principals: readonly string[], ends: Ends): Promise<Post> {
  const keys = principals.map((principal) => ({ principal, key: `${principal}-`.padEnd(40, "0") }));
  const listener = await serveGatewayHttp(gateway, { port: 0, authenticate: requireApiKey({ keys }) });
  ends.push(() => listener.close());
  return (principal, method, params = {}) =>
    post(listener.url, { method, params, key: `${principal}-`.padEnd(40, "0") });
}

/** Sends a stateless request. Returns the result, or the error. */
export async function post(
  url: string,
  { method, params, key }: { readonly method: string; readonly params: object; readonly key?: string },
): Promise<Record<string, unknown>> {
  const name = "name" in params ? params.name : "taskId" in params ? params.taskId : undefined;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": statelessRevision.id,
      "mcp-method": method,
      ...(key !== undefined && { "x-api-key": key }),
      ...(name !== undefined && { "mcp-name": String(name) }),
    },
    body: JSON.stringify(request(1, method, params, { [meta.capabilities]: declared })),
  });
  const text = await response.text();
  const message: unknown = JSON.parse(/(?<=^data: )\{.*"id":1.*$/m.exec(text)?.[0] ?? text);
  const { result, error } = isObject(message) ? message : {};
  return { ...(isObject(result) ? result : { error }) };
}

/** Returns the params with which a client returns to a call that needs input: it accepts everything. */
export function toRetry(result: unknown): object {
  const { inputRequests, requestState } = isObject(result) ? result : {};
  const keys = Object.keys(isObject(inputRequests) ? inputRequests : {});
  return {
    requestState,
    inputResponses: Object.fromEntries(keys.map((key) => [key, { action: "accept", content: {} }])),
  };
}

/** Asks the user whether to go on, and returns the action of the response. */
export async function elicitForm({ elicit }: AnyContext): Promise<string> {
  const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } };
  const response: unknown = typeof elicit === "function" ? await elicit(form) : undefined;
  return String(Reflect.get(Object(response), "action"));
}

const declared = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
