import type { Awaitable, Revision } from "../../../../generated/support.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { StreamPosition } from "../../../stores/event-store.ts";
import type { SessionKey } from "../../../stores/session-store.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { rejectHttp, unknownEvent, type RejectedRequest } from "../rejection.ts";
import type { HttpSession } from "./session.ts";
import type { FoundSession, IdentifiedPost, LiveSessions } from "./session-directory.ts";

/** Session of this process, as found by a request. */
export class ServedSession implements FoundSession {
  readonly session: HttpSession;
  readonly #sessions: LiveSessions;
  readonly #used: readonly RequestId[];

  /** @param used - ids whose requests have been reserved before; default: none */
  constructor(session: HttpSession, sessions: LiveSessions, used: readonly RequestId[] = none) {
    this.session = session;
    this.#sessions = sessions;
    this.#used = used;
  }

  get key(): SessionKey {
    return this.session.key;
  }

  get revision(): Revision | undefined {
    return this.session.revision;
  }

  deliver(exchange: Exchange, { identity, postBody }: IdentifiedPost): Awaitable<RejectedRequest | undefined> {
    return this.#sessions.deliver(exchange, { identity, postBody, session: this.session, used: this.#used });
  }

  async listen(exchange: Exchange, position: StreamPosition | undefined): Promise<RejectedRequest | undefined> {
    const { session } = this;
    if (session.isClosed) return this.#sessions.rejectClosed();
    if (!position) return void session.listen(exchange);
    return (await session.resume(exchange, position)) ? undefined : rejectHttp(400, unknownEvent);
  }

  end(): Promise<void> {
    return this.#sessions.end(this.session);
  }
}

const none: readonly RequestId[] = [];
