import { onTestFinished } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { ClientEvent } from "../../../../runtime/client/events.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";

/** Request to listen, as the server received it. */
export interface ListenRequest {
  readonly id: unknown;
  readonly uris: readonly string[];
}

/** Server without sessions that responds to every request, and its client. */
export class ListenServer {
  readonly wire = new Wire();
  readonly clock = new ManualClock();
  readonly events: ClientEvent[] = [];
  readonly listens: ListenRequest[] = [];
  /** URIs that the server rejects with an error. */
  readonly unknown = new Set<string>();
  /** True if requests to listen fail without a response. */
  isDown = false;
  /** True for the resources of a request to listen that fails without a response. Default: none. */
  fails = (_uris: readonly string[]): boolean => false;
  /** True if requests to listen are rejected with an error for now. */
  isBusy = false;
  /** Number of requests for the list of tools, which may be cached. */
  toolLists = 0;

  constructor() {
    const { wire } = this;
    const send = wire.send.bind(wire);
    Object.assign(wire, {
      send: (message: never) => {
        if (!isObject(message)) return undefined;
        if (Reflect.get(message, "method") === "subscriptions/listen" && this.#isFailing(message)) {
          this.#read(message);
          return Promise.reject(new Error("The server is not reachable"));
        }
        queueMicrotask(() => this.#respond(message));
        return send(message);
      },
    });
  }

  async open(options: Partial<AnyClientOptions> = {}): Promise<DefaultClientSession> {
    const { clock, wire } = this;
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions: [statelessRevision],
      clock,
      onEvent: (event) => this.events.push(event),
      ...options,
    });
    onTestFinished(() => client.close());
    return client.connect((opening) => connect(wire, opening));
  }

  /** Filters of the requests to listen since the last look. */
  takeFilters(): readonly (readonly string[])[] {
    return this.listens.splice(0).map(({ uris }) => uris);
  }

  /** Ends the subscription that was opened last. */
  async endListen(): Promise<void> {
    const id = this.listens.at(-1)?.id;
    this.wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    await settle();
  }

  /** Kinds of the events since the last look, with the resource of a failure. */
  takeEvents(): readonly string[] {
    return this.events.splice(0).map((event) => {
      const isResource = event.kind === "restoreFailed" && event.what.kind === "subscription";
      return isResource ? `${event.kind} ${event.what.uri}` : event.kind;
    });
  }

  #isFailing(message: Record<string, unknown>): boolean {
    return this.isDown || this.fails(readUris(readFilter(message)));
  }

  #read(message: Record<string, unknown>): Record<string, unknown> {
    const filter = readFilter(message);
    this.listens.push({ id: message.id, uris: readUris(filter) });
    return filter;
  }

  #respond(message: Record<string, unknown>): void {
    const { id, method } = message;
    if (id === undefined) return;
    if (method !== "subscriptions/listen") return this.#respondTo(id, method);
    const notifications = this.#read(message);
    const error = this.#findError(readUris(notifications));
    if (error) return this.wire.post({ jsonrpc: "2.0", id, error });
    const params = { notifications, _meta: { [meta.subscription]: id } };
    this.wire.post({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
  }

  #findError(uris: readonly string[]): object | undefined {
    if (this.isBusy) return { code: -32603, message: "Too many requests" };
    const bad = uris.find((uri) => this.unknown.has(uri));
    return bad === undefined ? undefined : { code: -32002, message: `Unknown resource ${bad}` };
  }

  #respondTo(id: unknown, method: unknown): void {
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
    const results: Readonly<Record<string, object>> = {
      "server/discover": { supportedVersions: [statelessRevision.id], capabilities, ttlMs: 0 },
      "tools/list": { tools: [], ttlMs: 86_400_000, cacheScope: "public" },
    };
    if (method === "tools/list") this.toolLists += 1;
    this.wire.post({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", ...(results[String(method)] ?? { content: [] }) },
    });
  }
}

function readFilter({ params }: Record<string, unknown>): Record<string, unknown> {
  return isObject(params) && isObject(params.notifications) ? params.notifications : {};
}

function readUris({ resourceSubscriptions: uris }: Record<string, unknown>): readonly string[] {
  return Array.isArray(uris) ? uris.map(String) : [];
}

/** Waits until all work of a moment is done, even if it needs several turns. */
export async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await settle();
}
