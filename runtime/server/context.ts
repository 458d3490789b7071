import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import { askClient } from "./ask-client.ts";
import type { LogLevels } from "./log-levels.ts";
import type { Authenticated } from "./protocol.ts";
import { findRow } from "../common/rows.ts";
import { readTask, type TaskControl } from "../tasks/task-call.ts";
import type { AnyContext } from "./source.ts";

/** What contexts need to know of a revision, found once. */
export interface ContextRows {
  readonly message: NotificationRow | undefined;
  readonly createMessage: RequestRow | undefined;
  readonly elicit: RequestRow | undefined;
  readonly listRoots: RequestRow | undefined;
}

/** Finds the rows by handler name. */
export function findContextRows(revision: Revision): ContextRows {
  return {
    message: findRow(revision.serverNotifications, "loggingMessage"),
    createMessage: findQuestion(revision, "createMessage"),
    elicit: findQuestion(revision, "elicit"),
    listRoots: findQuestion(revision, "listRoots"),
  };
}

/** Where no server sends requests, its questions are parts of results: how they reach the client is the lifecycle's business. */
function findQuestion(revision: Revision, handler: string): RequestRow | undefined {
  const embedded = findRow(revision.embeddedRequests, handler);
  return findRow(revision.serverRequests, handler) ?? (embedded && { ...embedded, kind: "request" });
}

/**
 * What a handler of the user gets: a view of the call that it answers. Its functions may be taken off it
 * (`run: (args, { progress }) => ...`), and the signal is made only when it is read.
 */
export class HandlerScope implements AnyContext {
  readonly #call: CallContext;
  readonly #rows: ContextRows;
  readonly #levels: LogLevels;

  constructor(call: CallContext, rows: ContextRows, levels: LogLevels) {
    this.#call = call;
    this.#rows = rows;
    this.#levels = levels;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get revision(): string {
    return this.#call.revision.id;
  }

  get requestId(): string | number {
    return this.#call.requestId;
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

  get task(): TaskControl | undefined {
    return readTask(this.#call);
  }

  get meta(): { readonly [key: string]: unknown } {
    return this.#call.meta;
  }

  readonly progress = (progress: number, total?: number, message?: string): Promise<void> =>
    this.#call.progress({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });

  readonly log = async (level: string, data: unknown, logger?: string): Promise<void> => {
    const { message } = this.#rows;
    if (!message || !this.#levels.wants(this.#call, level)) return;
    const entry = { level, data, ...(logger !== undefined && { logger }) };
    const admitted = this.#levels.admit(this.#call, entry);
    if (admitted) await this.#call.notify(message, admitted);
  };

  readonly releaseConnection = (): boolean => {
    const { origin } = this.#call;
    return isObject(origin) && typeof origin.releaseConnection === "function" && origin.releaseConnection() === true;
  };

  readonly sample = (params: object): Promise<unknown> => this.#ask(this.#rows.createMessage, "sampling", params);

  readonly elicit = (params: object): Promise<unknown> => this.#ask(this.#rows.elicit, "elicitation", params);

  readonly roots = async (): Promise<unknown> => {
    const result = await this.#ask(this.#rows.listRoots, "roots", {});
    return isObject(result) ? result.roots : undefined;
  };

  async #ask(row: RequestRow | undefined, feature: string, params: object): Promise<unknown> {
    if (!row) throw new Error(`Revision ${this.revision} has no ${feature} requests that a server may send.`);
    return askClient(this.#call, row, params);
  }
}

/** The context of a read, which knows the URI. */
export class ReadScope extends HandlerScope {
  readonly uri: string;

  constructor(call: CallContext, rows: ContextRows, options: { readonly levels: LogLevels; readonly uri: string }) {
    super(call, rows, options.levels);
    this.uri = options.uri;
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
