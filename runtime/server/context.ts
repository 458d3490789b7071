import { isObject, type NotificationRow } from "../../generated/support.ts";
import type { CallContext } from "../protocol/incoming-call.ts";
import type { LogLevels } from "./logging/log-levels.ts";
import type { Authenticated } from "./protocol-types.ts";
import type { Rounds } from "./input/rounds.ts";
import { CallScope } from "../tasks/call-scope.ts";
import type { AnyContext } from "./any-definition.ts";

/** What contexts share at one revision. */
export interface ContextParts {
  /** How log messages are sent, if they are. */
  readonly message: NotificationRow | undefined;
  readonly levels: LogLevels;
  readonly rounds: Rounds;
}

/** Makes what a handler of the user gets. */
export type CreateScope = (call: CallContext, parts: ContextParts) => HandlerScope;

/** For programs that ask nothing. */
export const createPlainScope: CreateScope = (call, parts) => new HandlerScope(call, parts);

/** What a handler of the user gets: a view of the call that it answers (`run: (args, { progress }) => ...`). */
export class HandlerScope extends CallScope implements AnyContext {
  readonly #call: CallContext;
  readonly #parts: ContextParts;

  constructor(call: CallContext, parts: ContextParts) {
    super(call);
    this.#call = call;
    this.#parts = parts;
  }

  get client(): { readonly info: object | undefined; readonly capabilities: object } {
    return this.#call.session.peer;
  }

  get session(): object {
    return this.#call.session;
  }

  get auth(): Authenticated | undefined {
    return readAuth(this.#call.origin);
  }

  get log(): AnyContext["log"] {
    return async (level, data, logger) => {
      const { message, levels } = this.#parts;
      if (!message || !levels.wants(this.#call, level)) return;
      const entry = { level, data, ...(logger !== undefined && { logger }) };
      const admitted = levels.admit(this.#call, entry);
      if (admitted) await this.#call.notify(message, admitted);
    };
  }

  get releaseConnection(): AnyContext["releaseConnection"] {
    const { origin } = this.#call;
    return () =>
      isObject(origin) && typeof origin.releaseConnection === "function" && origin.releaseConnection() === true;
  }

  get once(): AnyContext["once"] {
    return (key, work) => this.#parts.rounds.of(this.#call).once(key, work);
  }
}

/** Transports that authenticate put what they found into the member `identity` of the origin. */
export function readAuth(origin: unknown): Authenticated | undefined {
  const identity = isObject(origin) ? origin.identity : undefined;
  return isAuthenticated(identity) ? identity : undefined;
}

function isAuthenticated(value: unknown): value is Authenticated {
  return isObject(value) && typeof value.principal === "string";
}
