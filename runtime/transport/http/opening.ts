import type { Exchange } from "./exchange.ts";
import { errorCodes } from "../../rpc/errors.ts";
import { sessionHeader } from "./ladder.ts";
import { jsonFields, type Reply } from "./post.ts";
import { refuse } from "./refusal.ts";
import type { HttpSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** The POST that opens a session: it is listed before the client learns its id. */
export class Opening implements Reply {
  readonly #exchange: Exchange;
  readonly #session: HttpSession;
  readonly #sessions: Sessions;
  readonly #fail: (thrown: unknown) => void;

  constructor(exchange: Exchange, session: HttpSession, sessions: Sessions, fail: (thrown: unknown) => void) {
    this.#exchange = exchange;
    this.#session = session;
    this.#sessions = sessions;
    this.#fail = fail;
  }

  answer(text: string): void {
    if (this.#session.connection.session) return void this.#list(text);
    this.#sessions.forget(this.#session);
    this.#exchange.answer({ status: 200, headers: jsonFields, body: text });
  }

  push(): void {
    // There is no session yet that anything could belong to.
  }

  skip(): void {
    this.#exchange.answer({ status: 202 });
  }

  keepAlive(): void {
    // The handshake does not wait for anything.
  }

  end(): void {
    this.#exchange.answer(refuse(503, "The server is shutting down", { code: errorCodes.internalError }).answer);
  }

  async #list(text: string): Promise<void> {
    try {
      if (await this.#sessions.list(this.#session)) {
        const headers = { ...jsonFields, [sessionHeader]: this.#session.key.id };
        return this.#exchange.answer({ status: 200, headers, body: text });
      }
      this.#refuse("There are too many sessions: try again later");
    } catch (thrown) {
      this.#fail(thrown);
      this.#refuse("The session cannot be kept: try again later");
    }
  }

  #refuse(message: string): void {
    this.#sessions.forget(this.#session);
    const details = { code: errorCodes.internalError, headers: { "retry-after": "30" } };
    this.#exchange.answer(refuse(503, message, details).answer);
  }
}
