import { isObject, type RequestRow } from "../../generated/support.ts";
import { findMethod, findRow } from "../common/rows.ts";
import type { CallContext } from "../rpc/call.ts";
import { methodNotFound } from "../rpc/errors.ts";
import type { Connection } from "../rpc/peer.ts";
import type { Session } from "../rpc/session.ts";
import { toForwarded, toPrincipal, toRefusal, toResult } from "./shapes.ts";
import { Upstream, type UpstreamOptions } from "./upstream.ts";

/** A session of a client, which is a session with the server as well. */
export class SessionFront {
  readonly #connection: Connection;
  readonly #session: Session;
  readonly #upstream: Promise<Upstream>;
  /** The requests that are being answered: what the server asks meanwhile belongs to the last of them. */
  readonly #calls = new Set<CallContext>();

  constructor(options: UpstreamOptions, connection: Connection, session: Session) {
    this.#connection = connection;
    this.#session = session;
    this.#upstream = Upstream.open(options, toPrincipal(session), () => ({
      ask: (method, params, signal) => this.#ask(method, params, signal),
      tell: (handler, params) => this.#tell(handler, params),
    }));
    this.#upstream.catch(() => {});
  }

  /** Lets the server answer a request. */
  async forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    this.#calls.add(call);
    try {
      const upstream = await this.#upstream;
      return toResult(await this.#run(upstream, { row, params, call }), row.handler, call.revision);
    } catch (error) {
      throw toRefusal(error, row.method, call.revision);
    } finally {
      this.#calls.delete(call);
    }
  }

  async rootsChanged(): Promise<void> {
    const { connection } = await this.#upstream;
    const row = findRow(connection.revision.clientNotifications, "rootsListChanged");
    if (row) await connection.notify(row, {});
  }

  async close(): Promise<void> {
    await this.#upstream.then((upstream) => upstream.close()).catch(() => {});
  }

  async #run(upstream: Upstream, { row, params, call }: Forwarded): Promise<unknown> {
    const { uri, level } = isObject(params) ? params : {};
    if (row.handler === "setLevel" && typeof level === "string") return (await upstream.setLevel(level), {});
    if (row.handler === "subscribe" && typeof uri === "string") return upstream.subscribe(uri);
    if (row.handler === "unsubscribe" && typeof uri === "string") return upstream.unsubscribe(uri);
    const sent = toForwarded(params, call.revision);
    const options = { signal: call.signal, onProgress: (progress: Reported) => void call.progress(progress) };
    let result = await upstream.request(row.method, sent, options);
    while (isObject(result) && result.resultType === "input_required") {
      const answers = await this.#answer(result, call);
      result = await upstream.request(row.method, { ...sent, ...answers }, options);
    }
    return result;
  }

  /** Puts the questions inside of a result to the client, one request for each. */
  async #answer({ inputRequests, requestState }: Record<string, unknown>, call: CallContext): Promise<object> {
    const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    const answered = questions.map(async ([key, question]): Promise<[string, unknown]> => {
      const { method, params } = isObject(question) ? question : {};
      return [key, await this.#ask(String(method), isObject(params) ? params : {}, call.signal, call)];
    });
    return {
      ...(questions.length > 0 && { inputResponses: Object.fromEntries(await Promise.all(answered)) }),
      ...(typeof requestState === "string" && { requestState }),
    };
  }

  #ask(method: string, params: object, signal: AbortSignal, call?: CallContext): Promise<unknown> {
    const row = findMethod(this.#session.revision.serverRequests, method);
    if (!row) return Promise.reject(methodNotFound(method));
    return (call ?? this.#latest ?? this.#connection).request(row, params, { signal });
  }

  #tell(handler: string, params: object): void {
    const row = findRow(this.#session.revision.serverNotifications, handler);
    if (!row || passedOnOtherwise.has(handler)) return;
    const target = handler === "loggingMessage" ? (this.#latest ?? this.#connection) : this.#connection;
    // A client that is about to leave may not hear of it any more.
    target.notify(row, params).catch(() => {});
  }

  get #latest(): CallContext | undefined {
    return [...this.#calls].at(-1);
  }
}

interface Forwarded {
  readonly row: RequestRow;
  readonly params: unknown;
  readonly call: CallContext;
}

type Reported = Parameters<CallContext["progress"]>[0];

const passedOnOtherwise: ReadonlySet<string> = new Set(["progress", "cancelled"]);
