import { isObject } from "../../../generated/support.ts";
import type { Exchange, StrayData } from "./wire.ts";

/** Adds something the server has sent without need. A server may send such data without end: only the first items are kept. */
export function keep<Item>(list: Item[], item: Item): void {
  if (list.length < mostKept) list.push(item);
}

const mostKept = 1_000;

/** Messages of a stream that carries everything: responses to pending requests, and all other messages. */
export class ReceivedMessages {
  readonly unsolicited: unknown[] = [];
  readonly strayData: StrayData[] = [];
  readonly #waiting = new Map<string | number, (exchange: Exchange) => void>();
  #isOpen = true;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Waits for the response with this id. Resolves to an empty exchange on timeout or when `signal` is aborted. */
  wait(id: string | number, timeout: number, signal?: AbortSignal): Promise<Exchange> {
    if (!this.#isOpen) return Promise.resolve({});
    return new Promise((done) => {
      const give = (): void => this.settle(id, {});
      const timer = setTimeout(give, timeout);
      signal?.addEventListener("abort", give, { once: true });
      this.#waiting.set(id, (exchange) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", give);
        done(exchange);
      });
    });
  }

  /** Parses one message, or several in an array. */
  takeText(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      keep(this.strayData, { kind: text.trim() === "" ? "blank" : "text", text: text.slice(0, 200) });
      return;
    }
    for (const one of Array.isArray(value) ? value : [value]) this.#deliver(one);
  }

  /** Ends the stream. All pending requests end without a response. */
  end(): void {
    this.#isOpen = false;
    for (const id of [...this.#waiting.keys()]) this.settle(id, {});
  }

  /** Resolves the pending request with this id, if there is one. */
  settle(id: string | number, exchange: Exchange): void {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    done?.(exchange);
  }

  #deliver(value: unknown): void {
    const id: unknown = isObject(value) && !("method" in value) ? value.id : undefined;
    const isAwaited = (typeof id === "string" || typeof id === "number") && this.#waiting.has(id);
    if (isAwaited) this.settle(id, { response: value });
    else keep(this.unsolicited, value);
  }
}
