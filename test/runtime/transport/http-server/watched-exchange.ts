import { expect } from "vitest";
import type {
  EventWriter,
  HeaderFields,
  HttpResponse,
} from "../../../../runtime/transport/http-server/exchange/exchange.ts";
import { FetchExchange } from "../../../../runtime/transport/http-server/exchange/fetch-exchange.ts";

/** POST of the web platform whose response may begin only once. */
export class WatchedExchange extends FetchExchange {
  static readonly #all: WatchedExchange[] = [];
  #begun = 0;

  constructor(signal: AbortSignal | null) {
    super(new Request("http://localhost/mcp", { method: "POST", signal }));
    WatchedExchange.#all.push(this);
  }

  /** Checks the exchanges since the last call. */
  static check(): void {
    for (const exchange of WatchedExchange.#all.splice(0)) expect(exchange.#begun).toBeLessThan(2);
  }

  override respond(response: HttpResponse): void {
    this.#begun += 1;
    super.respond(response);
  }

  override stream(headers: HeaderFields): EventWriter {
    this.#begun += 1;
    return super.stream(headers);
  }
}
