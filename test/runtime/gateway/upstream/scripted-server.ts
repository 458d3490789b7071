import { randomUUID } from "node:crypto";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createGateway, type Gateway } from "../../../../runtime/gateway/gateway.ts";
import { passedLimits } from "../../../../runtime/gateway/upstream/upstream-target.ts";
import type { OnError } from "../../../../runtime/jsonrpc/error-report.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import type { Message, RequestId } from "../../../../runtime/jsonrpc/message.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { meta } from "../../../kit/messages.ts";

/** Request or notification that a scripted server has received. */
export interface Received {
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Responds to the request. */
  respond(result: object): void;
  /** Responds to the request with an error. */
  reject(message: string): void;
  /** Sends a request on the connection of the message. */
  request(method: string, params: object): void;
  /** Sends a notification on the connection of the message. */
  notify(method: string, params: object): void;
  /** Acknowledges a subscription request, as a whole unless a part is given. */
  acknowledge(notifications?: unknown): void;
  /** Ends the connection. */
  close(): void;
  /** Ends the connection at the client, as a failure of the network does. */
  lose(reason: Error): void;
}

/** Returns the result of a request, or `undefined` if it responds later or never. Throws an `RpcError` to reject it. */
export type Script = (message: Received) => object | undefined;

/** Gateway in front of a scripted server. */
export interface ScriptedGateway {
  readonly gateway: Gateway;
  readonly errors: readonly string[];
  /** Messages so far with this method. */
  received(method: string): readonly Received[];
}

/** Server that is a script. */
export interface ScriptedServer {
  readonly open: ConnectionFactory;
  /** Messages so far with this method, on all connections. */
  received(method: string): readonly Received[];
}

interface Declared {
  readonly revision: Revision;
  readonly capabilities: object;
}

/** Options of connections to a server at every revision, without telemetry and limits of time. */
export const unlimited = { revisions, telemetry: undefined, idleTimeout: Infinity, maxDepth: 64 } as const;

/** Creates a scripted server. It may do what no server of this package does. */
export function createScripted({ revision, capabilities }: Declared, script: Script): ScriptedServer {
  const all: Received[] = [];
  const begin = createBeginning(revision, capabilities);
  return {
    received: (method) => all.filter((message) => message.method === method),
    open(options) {
      const [near, far] = createInMemoryTransports(passedLimits);
      let lose = (_reason: Error): void => {};
      const start = near.start.bind(near);
      near.start = (receiver) => {
        lose = (reason) => receiver.disconnected(reason);
        start(receiver);
      };
      const send = (sent: Message): void => void far.send(sent);
      const wire: Wire = { send, close: () => void far.close(), lose: (reason) => lose(reason) };
      far.start({
        message(value) {
          const message = toReceived(value, wire);
          if (!message) return;
          all.push(message);
          respond(message, () => begin(message) ?? script(message), send);
        },
        classified() {},
        problem() {},
        ended() {},
        disconnected() {},
      });
      return connect(near, options);
    },
  };
}

/** Opens a gateway in front of a scripted server. Default of `onError`: errors are kept. */
export async function openScripted(
  {
    ends,
    maxConnections,
    onError,
    ...declared
  }: Declared & {
    readonly ends: (() => Promise<void>)[];
    readonly maxConnections?: number;
    readonly onError?: OnError;
  },
  script: Script,
): Promise<ScriptedGateway> {
  const errors: string[] = [];
  const { open, received } = createScripted(declared, script);
  const gateway = await createGateway(open, {
    revisions,
    onError: onError ?? (({ error }) => void errors.push(String(error))),
    ...(maxConnections !== undefined && { maxConnections }),
  });
  ends.push(() => gateway.close());
  return { gateway, errors, received };
}

/** Responds to what begins a connection at a revision. */
function createBeginning({ id, lifecycle }: Revision, capabilities: object): Script {
  const info = { name: "scripted", version: "1" };
  const results: Record<string, object> =
    lifecycle === "handshake"
      ? { initialize: { protocolVersion: id, capabilities, serverInfo: info }, ping: {} }
      : {
          "server/discover": { supportedVersions: [id], capabilities, ...complete, _meta: { [meta.serverInfo]: info } },
        };
  return ({ method }) => {
    if (method === "server/discover" && lifecycle === "handshake") throw new RpcError(-32601, "Method not found");
    return results[method];
  };
}

/** Members of results since requests are stateless. */
export const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

function respond({ id }: Received, run: () => object | undefined, send: (message: Message) => void): void {
  try {
    const result = run();
    if (result && id !== undefined) send({ jsonrpc: "2.0", id, result });
  } catch (error) {
    if (!(error instanceof RpcError) || id === undefined) throw error;
    send({ jsonrpc: "2.0", id, error: { code: error.code, message: error.message } });
  }
}

interface Wire {
  send(message: Message): void;
  close(): void;
  lose(reason: Error): void;
}

function toReceived(value: unknown, { send, close, lose }: Wire): Received | undefined {
  if (!isObject(value) || typeof value.method !== "string") return undefined;
  const id = typeof value.id === "string" || typeof value.id === "number" ? value.id : undefined;
  const params = isObject(value.params) ? value.params : {};
  const notify = (method: string, told: object): void => send({ jsonrpc: "2.0", method, params: told });
  return {
    id,
    method: value.method,
    params,
    respond(result) {
      if (id !== undefined) send({ jsonrpc: "2.0", id, result });
    },
    reject: (message) => send({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code: -32602, message } }),
    request: (requested, given) => send({ jsonrpc: "2.0", id: randomUUID(), method: requested, params: given }),
    notify,
    acknowledge: (notifications = params.notifications) =>
      notify("notifications/subscriptions/acknowledged", { notifications, _meta: { [meta.subscription]: id } }),
    close,
    lose,
  };
}

/** Resources in the filter of a subscription request. */
export function urisOf({ params: { notifications } }: Received): readonly unknown[] {
  const uris = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris : [];
}
