import { isObject, type Revision } from "../../generated/support.ts";
import { readMetaKeys } from "../../runtime/protocol/session/request-metadata.ts";
import type { ErrorObject, RequestId } from "../../runtime/jsonrpc/message.ts";
import { findMethod } from "../../runtime/protocol/methods/method-rows.ts";
import type { RecordedMessage } from "./recording.ts";
import { toRequestKey } from "./request-key.ts";

/** Message of a client, with the messages of the server related to it. */
export interface Exchange {
  readonly kind: "request" | "notification";
  readonly connection: string;
  readonly method: string;
  readonly params: unknown;
  /** Text shared by requests with the same meaning. */
  readonly key: string;
  /** Further messages of the server before the response, in order. */
  readonly before: readonly ServerMessage[];
  readonly outcome: Outcome;
  /** Messages of the server after the response, up to the next message of a client. */
  readonly after: readonly ServerMessage[];
}

/** Request or notification of a server. */
export interface ServerMessage {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
  /** `all`: a change of which the server notifies every connection. */
  readonly to: "own" | "all";
}

/** Response of a server. `cancelled`: the client has cancelled the request. `none`: the recording has no response. */
export type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: ErrorObject }
  | { readonly kind: "cancelled" }
  | { readonly kind: "none" };

/** Groups the messages of a recording by the client's messages that caused them, in the order of these. */
export function readExchanges(messages: readonly RecordedMessage[], revision: Revision): readonly Exchange[] {
  const grouping = new Grouping(revision);
  for (const message of messages) grouping.add(message);
  return grouping.exchanges;
}

interface OpenExchange extends Exchange {
  readonly before: ServerMessage[];
  readonly after: ServerMessage[];
  readonly isEndless: boolean;
  outcome: Outcome;
  isOpen: boolean;
}

/** Notifications of changes, which servers send on all connections. */
const changeMethods: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);

class Grouping {
  readonly exchanges: OpenExchange[] = [];
  readonly #revision: Revision;
  readonly #subscriptionKey: string | undefined;
  /** Requests by connection and id. */
  readonly #requests = new Map<string, OpenExchange>();
  /** Requests by connection and progress token. */
  readonly #byToken = new Map<string, OpenExchange>();
  /** Requests without a response by connection, the latest last; some have a response by now. */
  readonly #open = new Map<string, OpenExchange[]>();
  /** Latest message of a client by connection, and of all. Requests for changes do not count. */
  readonly #latest = new Map<string, OpenExchange>();
  #last: OpenExchange | undefined;
  /** Number of notifications of each change during an exchange, by connection. */
  readonly #copies = new Map<OpenExchange, Map<string, Map<string, number>>>();

  constructor(revision: Revision) {
    this.#revision = revision;
    this.#subscriptionKey = revision.lifecycle === "handshake" ? undefined : readMetaKeys(revision).subscription;
  }

  add({ connection, direction, incoming }: RecordedMessage): void {
    if (direction === "to-server") this.#addOfClient(connection, incoming);
    else this.#addOfServer(connection, incoming);
  }

  #addOfClient(connection: string, incoming: RecordedMessage["incoming"]): void {
    if (incoming.kind === "request") return this.#begin(connection, incoming);
    if (incoming.kind !== "notification") return;
    const { method, params } = incoming;
    if (method === "notifications/progress") return;
    if (method === "notifications/cancelled") return this.#cancel(connection, params);
    this.#begin(connection, { method, params });
  }

  #begin(
    connection: string,
    { id, method, params }: { readonly id?: RequestId; readonly method: string; readonly params: unknown },
  ): void {
    const isRequest = id !== undefined;
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const exchange: OpenExchange = {
      kind: isRequest ? "request" : "notification",
      connection,
      method,
      params,
      key: toRequestKey(method, params),
      before: [],
      outcome: { kind: "none" },
      after: [],
      isEndless: findMethod(this.#revision.clientRequests, method)?.duration === "endless",
      isOpen: isRequest,
    };
    this.exchanges.push(exchange);
    if (isRequest) this.#requests.set(toKey(connection, id), exchange);
    if (meta.progressToken !== undefined) this.#byToken.set(toKey(connection, meta.progressToken), exchange);
    if (exchange.isEndless) return;
    this.#last = exchange;
    this.#latest.set(connection, exchange);
    const open = this.#open.get(connection) ?? [];
    this.#open.set(connection, open);
    if (isRequest) open.push(exchange);
  }

  #cancel(connection: string, params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined;
    const exchange = this.#requests.get(toKey(connection, id));
    if (!exchange?.isOpen) return;
    exchange.outcome = { kind: "cancelled" };
    exchange.isOpen = false;
  }

  #addOfServer(connection: string, incoming: RecordedMessage["incoming"]): void {
    switch (incoming.kind) {
      case "result":
        return this.#finish(connection, incoming.id, { kind: "result", result: incoming.result });
      case "error":
        return this.#finish(connection, incoming.id, { kind: "error", error: incoming.error });
      case "request":
      case "notification":
        return this.#addMessage(connection, incoming);
      case "invalid":
      case "unusable":
        return;
      default:
        return incoming satisfies never;
    }
  }

  #finish(connection: string, id: RequestId | undefined, outcome: Outcome): void {
    const exchange = this.#requests.get(toKey(connection, id));
    if (!exchange?.isOpen) return;
    exchange.outcome = outcome;
    exchange.isOpen = false;
  }

  #addMessage(connection: string, { kind, method, params }: Pick<ServerMessage, "kind" | "method" | "params">): void {
    if (changeMethods.has(method)) return this.#addChange(connection, { kind, method, params, to: "all" });
    const owner = this.#findOwner(connection, method, params);
    if (owner) (owner.isOpen ? owner.before : owner.after).push({ kind, method, params, to: "own" });
  }

  /** Adds a change to the latest message of any client. Each connection has a copy of the notification; one is kept. */
  #addChange(connection: string, message: ServerMessage): void {
    const latest = this.#last;
    if (!latest) return;
    const copies = this.#copies.get(latest) ?? new Map<string, Map<string, number>>();
    this.#copies.set(latest, copies);
    const key = toRequestKey(message.method, message.params);
    const counts = copies.get(key) ?? new Map<string, number>();
    copies.set(key, counts);
    const most = Math.max(0, ...counts.values());
    const own = (counts.get(connection) ?? 0) + 1;
    counts.set(connection, own);
    if (own > most) (latest.isOpen ? latest.before : latest.after).push(message);
  }

  /** Finds the message of a client to which a message of the server belongs. */
  #findOwner(connection: string, method: string, params: unknown): OpenExchange | undefined {
    const { progressToken, _meta } = isObject(params) ? params : {};
    if (method === "notifications/progress") return this.#byToken.get(toKey(connection, progressToken));
    const tag = this.#subscriptionKey;
    const subscription = tag !== undefined && isObject(_meta) ? _meta[tag] : undefined;
    if (subscription !== undefined) return this.#requests.get(toKey(connection, subscription));
    return this.#findOpen(connection) ?? this.#latest.get(connection);
  }

  /** Returns the latest request of a connection without a response. */
  #findOpen(connection: string): OpenExchange | undefined {
    const open = this.#open.get(connection) ?? [];
    while (open.length > 0 && open.at(-1)?.isOpen !== true) open.pop();
    return open.at(-1);
  }
}

function toKey(connection: string, id: unknown): string {
  return JSON.stringify([connection, id]);
}
