import { onTestFinished } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { ClientEvent } from "../../../../runtime/client/events.ts";
import type { AnyClientOptions } from "../../../../runtime/client/any-definition.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { alone, meta } from "../../lifecycle/stateless.ts";

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

  constructor() {
    const { wire } = this;
    const send = wire.send.bind(wire);
    Object.assign(wire, {
      send: (message: never) => {
        if (!isObject(message)) return undefined;
        if (this.isDown && Reflect.get(message, "method") === "subscriptions/listen") {
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
      revisions: [alone],
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

  #read({ id, params }: Record<string, unknown>): ListenRequest {
    const filter = isObject(params) && isObject(params.notifications) ? params.notifications : {};
    const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions.map(String) : [];
    const listen = { id, uris };
    this.listens.push(listen);
    return listen;
  }

  #respond(message: Record<string, unknown>): void {
    const { id, method } = message;
    if (id === undefined) return;
    if (method !== "subscriptions/listen") return this.#respondTo(id, method);
    const { uris } = this.#read(message);
    const bad = uris.find((uri) => this.unknown.has(uri));
    if (bad !== undefined) {
      const error = { code: -32002, message: `Unknown resource ${bad}` };
      return this.wire.post({ jsonrpc: "2.0", id, error });
    }
    const params = { notifications: { resourceSubscriptions: uris }, _meta: { [meta.subscription]: id } };
    this.wire.post({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
  }

  #respondTo(id: unknown, method: unknown): void {
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const discovered = { supportedVersions: [alone.id], capabilities, ttlMs: 0 };
    const own = method === "server/discover" ? discovered : { content: [] };
    this.wire.post({ jsonrpc: "2.0", id, result: { resultType: "complete", ...own } });
  }
}

/** Waits until all work of a moment is done, even if it needs several turns. */
export async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await settle();
}
