import type { ServerResponse } from "node:http";
import { isObject } from "../../../../generated/support.ts";
import { createUntypedClient, type UntypedClient } from "../../../../runtime/client/create-client.ts";
import { connectHttp, type ConnectHttpOptions } from "../../../../runtime/client/connect-http.ts";
import { revisionOf } from "../../../kit/revisions.ts";
import { respondJson, serveScript, usual, type Received, type ScriptedServer } from "../../../kit/scripted-server.ts";
import { isStateless } from "../../../wire/script.ts";
import type { Scene } from "../scenario.ts";

/** Response of the scripted server to a method: a result, or nothing when the function has responded itself. */
export type Respond = (received: Received, response: ServerResponse) => object | undefined;

/** Script of a server. */
export interface ServerScript {
  /** Responses by method; those of the opening and of empty lists are there already. */
  readonly methods?: Readonly<Record<string, Respond>>;
  /** Session id in the responses to a request; nothing by default. */
  readonly sessionId?: (received: Received) => string | undefined;
  readonly capabilities?: object;
  /** Handles a request before all others; returns true if it has responded. */
  readonly first?: (received: Received, response: ServerResponse) => boolean;
}

type ClientOptions = Parameters<typeof createUntypedClient>[0];

/** Facts and servers for a scenario of a client. */
export interface ClientScene extends Scene {
  /** Starts a scripted server. */
  serve(script?: ServerScript): Promise<ScriptedServer>;
  /** Connects a client of the revision. */
  connect(
    url: string,
    options?: Partial<ClientOptions>,
    http?: Partial<ConnectHttpOptions>,
  ): ReturnType<UntypedClient["connect"]>;
}

/** Adds the scripted servers to the facts of a scenario. */
export function toClientScene(scene: Scene): ClientScene {
  const { revision, onEnd } = scene;
  return {
    ...scene,
    async serve(script = {}) {
      const server = await serveScript((received, response) => respondWith(script, revision, { received, response }));
      onEnd(() => server.close());
      return server;
    },
    async connect(url, options = {}, http = {}) {
      const client = createUntypedClient({
        info: { name: "scenario", version: "1.0.0" },
        revisions: [revisionOf(revision)],
        ...options,
      });
      onEnd(() => client.close());
      return client.connect((settings) => connectHttp(url, { ...settings, ...http }));
    },
  };
}

interface Exchange {
  readonly received: Received;
  readonly response: ServerResponse;
}

function respondWith(script: ServerScript, revision: Scene["revision"], { received, response }: Exchange): unknown {
  if (script.first?.(received, response)) return undefined;
  const { method, message } = received;
  if (method !== "POST" || message.id === undefined || message.method === undefined) return usual;
  const sessionId = script.sessionId?.(received);
  const headers = sessionId === undefined ? {} : { "mcp-session-id": sessionId };
  const respond = script.methods?.[message.method];
  const result = respond ? respond(received, response) : findUsual(script, revision, message);
  if (result !== undefined)
    respondJson(response, { jsonrpc: "2.0", id: message.id, result: complete(revision, result) }, { headers });
  return undefined;
}

/** Members that every result of a stateless request has. */
export function complete(revision: Scene["revision"], result: object): object {
  return isStateless(revision) ? { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result } : result;
}

/** Returns the response of a server without a script. */
export function findUsual(
  { capabilities = { tools: {} } }: ServerScript,
  revision: Scene["revision"],
  { method }: Received["message"],
): object {
  switch (method) {
    case "initialize":
      return { protocolVersion: revision, capabilities, serverInfo: { name: "script", version: "1.0.0" } };
    case "server/discover":
      return { supportedVersions: [revision], capabilities };
    case "tools/list":
      return { tools: [] };
    case "tools/call":
      return { content: [] };
    default:
      return {};
  }
}

/** Returns an event with a notification or a request. */
export function toEvent(message: object): string {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

/** Requests with a JSON-RPC method, in order. */
export function callsOf({ requests }: ScriptedServer, method: string): readonly Received[] {
  return requests.filter(({ message }) => isObject(message) && message.method === method);
}
