import { isObject, type NotificationRow } from "../../generated/support.ts";
import { asHandled } from "../internal/as-handled.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { findMethod } from "../protocol/methods/method-rows.ts";
import type { LogEntry, LogLevels } from "./logging/log-levels.ts";
import type { Authenticated, AnyContext } from "./protocol-types.ts";
import type { InputRunner } from "./input/input-runner.ts";
import { CallScope } from "../tasks/call-scope.ts";

/** Parts shared by all contexts of one revision. */
export interface ContextParts {
  /** Notification for log messages; `undefined` where the revision has none. */
  readonly message: NotificationRow | undefined;
  readonly levels: LogLevels;
  readonly inputRunner: InputRunner;
}

/** Creates the context of a handler of the user. */
export type CreateScope = (call: CallContext, parts: ContextParts) => HandlerScope;

/** How handlers at one revision get input of their clients. */
export interface InputSupport {
  readonly inputRunner: InputRunner;
  readonly createScope: CreateScope;
}

/** Context of a handler of the user: a view of the call it handles (`run: (args, { progress }) => ...`). */
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
    return (level, data, logger) => asHandled(this.#log({ level, data, ...(logger !== undefined && { logger }) }));
  }

  async #log(entry: LogEntry): Promise<void> {
    const { message, levels } = this.#parts;
    if (!message || !levels.wants(this.#call, entry.level)) return;
    const admitted = levels.admit(this.#call, entry);
    if (admitted) await this.#call.notify(message, admitted);
  }

  get notify(): AnyContext["notify"] {
    return (method, params) => asHandled(this.#notify(method, params));
  }

  async #notify(method: string, params: object | undefined): Promise<void> {
    const { id, serverNotifications } = this.#call.revision;
    const row = findMethod(serverNotifications, method);
    if (!row) throw new Error(`Revision ${id} has no notification ${method} of servers; check context.revision first`);
    await this.#call.notify(row, params);
  }

  get releaseConnection(): AnyContext["releaseConnection"] {
    const { origin } = this.#call;
    return () =>
      isObject(origin) && typeof origin.releaseConnection === "function" && origin.releaseConnection() === true;
  }

  get once(): AnyContext["once"] {
    return (key, work) => this.#parts.inputRunner.of(this.#call).once(key, work);
  }
}

/** Returns the authenticated principal. Transports with authentication put it into the member `identity` of the origin. */
export function readAuth(origin: unknown): Authenticated | undefined {
  const identity = isObject(origin) ? origin.identity : undefined;
  return isAuthenticated(identity) ? identity : undefined;
}

function isAuthenticated(value: unknown): value is Authenticated {
  return isObject(value) && typeof value.principal === "string";
}
