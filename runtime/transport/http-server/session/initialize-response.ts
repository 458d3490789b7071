import type { Exchange } from "../exchange/exchange.ts";
import { errorCodes } from "../../../jsonrpc/errors.ts";
import { sessionHeader } from "../validate-request.ts";
import { jsonFields, type ResponseSink } from "./session-response.ts";
import { toProfiledRejection } from "../profiled-rejection.ts";
import { rejectHttp } from "../rejection.ts";
import type { HttpSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { HttpSettings } from "../settings.ts";

/** Reply to the POST which opens a session. The session is listed before the client learns its id. */
export class InitializeResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #session: HttpSession;
  readonly #sessions: Sessions;
  readonly #settings: HttpSettings;

  constructor(exchange: Exchange, session: HttpSession, sessions: Sessions, settings: HttpSettings) {
    this.#exchange = exchange;
    this.#session = session;
    this.#sessions = sessions;
    this.#settings = settings;
  }

  respond(text: string): void {
    if (this.#session.connection.session) return void this.#list(text);
    this.#sessions.forget(this.#session);
    this.#exchange.respond({ status: 200, headers: jsonFields, body: text });
  }

  push(): void {
    // There is no session yet that a message could belong to.
  }

  skip(): void {
    this.#exchange.respond({ status: 202 });
  }

  keepAlive(): void {
    // The handshake never waits.
  }

  end(): void {
    this.#respondBusy("The server is shutting down", "5");
  }

  async #list(text: string): Promise<void> {
    try {
      if (!(await this.#sessions.list(this.#session))) return this.#reject("Too many sessions; retry later");
      // A client without a connection does not learn the id, so it can neither use nor end the session.
      if (this.#exchange.isGone) await this.#sessions.end(this.#session);
      const headers = { ...jsonFields, [sessionHeader]: this.#session.key.id };
      this.#exchange.respond({ status: 200, headers, body: text });
    } catch (thrown) {
      this.#settings.fail(thrown);
      this.#reject("The session could not be stored; retry later");
    }
  }

  #reject(message: string): void {
    this.#sessions.forget(this.#session);
    this.#respondBusy(message, "30");
  }

  /** @param retryAfter - seconds for the client to wait */
  #respondBusy(message: string, retryAfter: string): void {
    const { response: respond } = rejectHttp(503, message, {
      code: errorCodes.internalError,
      headers: { "retry-after": retryAfter },
    });
    this.#exchange.respond(toProfiledRejection(respond, this.#exchange, this.#settings.profile));
  }
}
