import { isObject, type RequestRow } from "../../../generated/support.ts";
import type { ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { TimeoutError, toError } from "../../jsonrpc/errors.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import type { ClientRequestParams } from "../session/requests.ts";

/** Options of a subscription request. */
export interface ListenStreamOptions {
  readonly row: RequestRow;
  readonly filter: ListenFilter;
  readonly clock: Clock | undefined;
  /** Milliseconds to wait for the acknowledgement. */
  readonly timeout: number;
}

/**
 * Subscription request. It lasts until either side ends it, and its notifications name it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class ListenStream {
  readonly filter: ListenFilter;
  /** Resolves with the part of the filter the server honours; rejects when the request ends before. */
  readonly acknowledged: Promise<ListenFilter>;
  /** Resolves when no more notifications follow: with the reason, unless the server ended the request in order. */
  readonly ended: Promise<Error | undefined>;
  readonly #controller = new AbortController();
  #id: RequestId | undefined;
  #acknowledge: (honoured: ListenFilter) => void = () => {};

  constructor(connection: ClientConnection, { row, filter, clock = systemClock, timeout }: ListenStreamOptions) {
    this.filter = filter;
    const { signal } = this.#controller;
    const params: ClientRequestParams["subscriptionsListen"] = { notifications: filter };
    const onId = (id: RequestId): void => void (this.#id = id);
    this.ended = connection.request(row, params, { signal, onId }).then(() => undefined, toError);
    this.acknowledged = new Promise((resolve, reject) => {
      this.#acknowledge = resolve;
      void this.ended.then((reason) => reject(reason ?? new Error("The server ended the subscription immediately")));
    });
    const expire = (): void => this.end(new TimeoutError(row.method, timeout));
    const cancel = clock.after(timeout, expire);
    this.acknowledged.then(cancel, cancel);
  }

  /** True if a notification names this request: `1` and `"1"` are different. */
  is(tag: unknown): boolean {
    return tag !== undefined && tag === this.#id;
  }

  /** Handles the server's acknowledgement, which carries the honoured filter. */
  accept(params: unknown): void {
    const honoured = isObject(params) ? params.notifications : undefined;
    this.#acknowledge(isObject(honoured) ? honoured : {});
  }

  end(reason: Error = new DOMException("The subscription is no longer used", "AbortError")): void {
    this.#controller.abort(reason);
  }
}
