import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import { askClient } from "./ask-client.ts";
import type { AskForTask } from "./feature.ts";
import type { LogLevels } from "./log-levels.ts";
import type { Authenticated, QuestionOptions } from "./protocol.ts";
import type { Rounds } from "./rounds.ts";
import { findRow } from "../common/rows.ts";
import { CallScope } from "../tasks/call-scope.ts";
import type { AnyContext } from "./source.ts";

/** What contexts share at one revision. */
export interface ContextParts {
  readonly rows: ContextRows;
  readonly levels: LogLevels;
  readonly rounds: Rounds;
}

/** What contexts need to know of a revision, found once. */
export interface ContextRows {
  readonly message: NotificationRow | undefined;
  readonly createMessage: RequestRow | undefined;
  readonly elicit: RequestRow | undefined;
  readonly listRoots: RequestRow | undefined;
  readonly askForTask: AskForTask | undefined;
}

/** Finds the rows by handler name. */
export function findContextRows(revision: Revision, askForTask: AskForTask | undefined): ContextRows {
  return {
    message: findRow(revision.serverNotifications, "loggingMessage"),
    createMessage: findQuestion(revision, "createMessage"),
    elicit: findQuestion(revision, "elicit"),
    listRoots: findQuestion(revision, "listRoots"),
    askForTask,
  };
}

/** Where no server sends requests, its questions are parts of results: how they reach the client is the lifecycle's business. */
function findQuestion(revision: Revision, handler: string): RequestRow | undefined {
  const embedded = findRow(revision.embeddedRequests, handler);
  return findRow(revision.serverRequests, handler) ?? (embedded && { ...embedded, kind: "request" });
}

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
      const { rows, levels } = this.#parts;
      if (!rows.message || !levels.wants(this.#call, level)) return;
      const entry = { level, data, ...(logger !== undefined && { logger }) };
      const admitted = levels.admit(this.#call, entry);
      if (admitted) await this.#call.notify(rows.message, admitted);
    };
  }

  get releaseConnection(): AnyContext["releaseConnection"] {
    const { origin } = this.#call;
    return () =>
      isObject(origin) && typeof origin.releaseConnection === "function" && origin.releaseConnection() === true;
  }

  get inputResponses(): { readonly [key: string]: unknown } | undefined {
    return this.#parts.rounds.of(this.#call).input?.inputResponses;
  }

  get requestState(): string | undefined {
    return this.#parts.rounds.of(this.#call).input?.requestState;
  }

  get once(): AnyContext["once"] {
    return (key, work) => this.#parts.rounds.of(this.#call).once(key, work);
  }

  get sample(): Question {
    return (params, options) => this.#ask("createMessage", params, options);
  }

  get elicit(): Question {
    return (params, options) => this.#ask("elicit", params, options);
  }

  get roots(): (options?: QuestionOptions) => Promise<unknown> {
    return async (options) => {
      const result = await this.#ask("listRoots", {}, options);
      return isObject(result) ? result.roots : undefined;
    };
  }

  async #ask(kind: keyof typeof features, params: object, { key }: QuestionOptions = {}): Promise<unknown> {
    const { rows, rounds } = this.#parts;
    const row = rows[kind];
    if (!row) throw new Error(`Revision ${this.revision} has no ${features[kind]} requests that a server may send.`);
    const { askForTask } = rows;
    return askClient(this.#call, { row, params, key }, { askForTask, ...(rounds.check && { check: rounds.check }) });
  }
}

type Question = (params: object, options?: QuestionOptions) => Promise<unknown>;

const features = { createMessage: "sampling", elicit: "elicitation", listRoots: "roots" } as const;

/** The context of a read, which knows the URI. */
export class ReadScope extends HandlerScope {
  readonly uri: string;

  constructor(call: CallContext, uri: string, parts: ContextParts) {
    super(call, parts);
    this.uri = uri;
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
