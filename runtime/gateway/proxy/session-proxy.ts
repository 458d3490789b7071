import { isObject, type Progress, type RequestRow } from "../../../generated/support.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import { isInputRequired } from "../../client/input/input-required.ts";
import { maxInputRequests } from "../../protocol/methods/input-request-limit.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { ClosedError, RpcError, errorCodes, methodNotFound, toError } from "../../jsonrpc/errors.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { Session } from "../../protocol/session/session.ts";
import { runConcurrently } from "../../internal/run-concurrently.ts";
import { readAuth } from "../../server/context.ts";
import { pause } from "../../internal/timers.ts";
import { withoutTask } from "../../tasks/task.ts";
import type { ConnectionLimit, Leave } from "../upstream/connection-limit.ts";
import { omit } from "../../protocol/revision/known-members.ts";
import { toForwarded, toPrincipal, toCheckedResult, toConversionRejection } from "../convert-messages.ts";
import type { TaskBridge } from "../tasks/task-bridge.ts";
import { declareTasks, withGrace } from "../tasks/upstream-tasks.ts";
import type { Principal } from "../principal.ts";
import type { PrincipalStates } from "./principal-states.ts";
import { LazyUpstream } from "../upstream/lazy-upstream.ts";
import { ownRequest, ownTimeout } from "../upstream/own-request.ts";
import { Upstream, type Listener, type UpstreamOptions } from "../upstream/upstream.ts";

/** Session of a client, which is a session with the server as well. */
export class SessionProxy {
  readonly #connection: Connection;
  readonly #session: Session;
  readonly #options: UpstreamOptions;
  readonly #limit: ConnectionLimit;
  readonly #states: PrincipalStates;
  readonly #listener: Listener;
  readonly #bridge: TaskBridge;
  /** Aborted when the session has ended. */
  readonly #ended = new AbortController();
  /** Connection to the server, opened at the first request of the client. It is never another one, because the session ends with it. */
  #upstream: Promise<Upstream> | undefined;
  /** Connection on which the server may respond with tasks. It declares them, so it is opened only when a task is wanted. */
  readonly #withTasks = new LazyUpstream<Upstream>();
  /** Calls by the ids of their requests to the server, for each connection. */
  readonly #sent = new WeakMap<Upstream, Map<RequestId, CallContext>>();
  /** Requests in progress. A request of the server belongs to the last of them, unless the transport says to which. */
  readonly #calls = new Set<CallContext>();
  #loss: Error | undefined;
  /** Authenticated principal of the first request, whose share the connections are part of. */
  #holder: string | undefined;

  constructor(options: UpstreamOptions, { connection, session, bridge, limit, states }: GatewayProxy) {
    this.#states = states;
    this.#options = options;
    this.#connection = connection;
    this.#session = session;
    this.#bridge = bridge;
    this.#limit = limit;
    this.#listener = {
      ask: (method, params, signal) => this.#ask(method, params, { signal }),
      notify: (handler, params) => this.#notify(handler, params),
    };
  }

  /** Reason why the server has ended the session, if it has. */
  get loss(): Error | undefined {
    return this.#loss;
  }

  /** Passes on a notification received by the gateway itself, until the session has a connection of its own on which to receive it. */
  notify(handler: string, params: object): void {
    if (!this.#upstream) this.#notify(handler, params);
  }

  /** Returns the connection of the session. If it could not be opened, the next request opens it again. */
  #connect(principal: string | undefined): Promise<Upstream> {
    if (this.#upstream) return this.#upstream;
    this.#holder = principal;
    const opening = this.#open();
    this.#upstream = opening;
    opening.catch(() => (this.#upstream = undefined));
    return opening;
  }

  async #open(): Promise<Upstream> {
    const { signal } = this.#ended;
    const isStateless = this.#session.isStateless === true;
    const leave = await (isStateless
      ? this.#limit.enterCall(signal, this.#holder)
      : this.#limit.enterSession(signal, this.#holder));
    const upstream = await this.#openWith(toPrincipal(this.#session), leave);
    this.#followEnd(upstream);
    return upstream;
  }

  /** Opens a connection, and releases its place when it has ended. */
  async #openWith(principal: Principal, leave: Leave): Promise<Upstream> {
    try {
      const sent = new Map<RequestId, CallContext>();
      const listener: Listener = {
        ...this.#listener,
        ask: (method, params, signal, related) =>
          this.#ask(method, params, { signal, call: related === undefined ? undefined : sent.get(related) }),
      };
      const upstream = await Upstream.open(this.#options, principal, () => listener);
      this.#sent.set(upstream, sent);
      void upstream.connection.closed.then(leave);
      return upstream;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Closes the session of the client when the server has ended the session. */
  #followEnd({ connection }: Upstream): void {
    const { signal, onError } = this.#options;
    void connection.closed.then((reason) => {
      if (signal.aborted || this.#ended.signal.aborted) return;
      this.#loss = reason ?? new Error("The server closed the connection");
      onError({ kind: "transport", error: this.#loss });
      return this.#connection.close();
    });
  }

  /** Forwards a request to the server and returns its result. */
  async forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    this.#calls.add(call);
    try {
      const principal = readAuth(call.origin)?.principal;
      const upstream = await this.#connect(principal);
      // Opening the connection may take long. The server must not begin what is no longer wanted.
      call.signal.throwIfAborted();
      const given = isObject(params) ? omit(params, "requestState", "inputResponses") : params;
      const sent = await this.#states.verify(given, principal);
      const received = await this.#run(upstream, { row, params: sent, call });
      const result = toCheckedResult(await this.#states.sign(received, principal), row, {
        client: call.revision,
        server: upstream.revision,
        onError: this.#options.onError,
      });
      return row.handler === "listTools" ? this.#bridge.at(call.revision).showTools(result) : result;
    } catch (error) {
      throw toConversionRejection(error, row.method, call.revision);
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Passes on a notification of the client that belongs to an extension. */
  async notifyServer(method: string, params: unknown, principal: string | undefined): Promise<void> {
    const { connection } = await this.#connect(principal);
    await connection.notify(method, params);
  }

  async notifyRootsListChanged(): Promise<void> {
    // A server without a connection has not requested roots yet.
    if (!this.#upstream) return;
    const { connection } = await this.#upstream;
    const row = findRow(connection.revision.clientNotifications, "rootsListChanged");
    if (row) await connection.notify(row, {});
  }

  async close(): Promise<void> {
    this.#ended.abort(new ClosedError("The session has ended"));
    await Promise.all([this.#upstream?.then((upstream) => upstream.close()).catch(() => {}), this.#withTasks.close()]);
  }

  async #run(upstream: Upstream, { row, params, call }: Forwarded): Promise<unknown> {
    const { uri, level } = isObject(params) ? params : {};
    const { subscriptions } = upstream;
    const options = {
      ...ownRequest,
      timeout: Math.min(ownTimeout, this.#options.idleTimeout),
      signal: call.signal,
    };
    if (row.handler === "setLevel" && typeof level === "string") return (await upstream.setLevel(level, options), {});
    if (row.handler === "subscribe" && typeof uri === "string") return subscriptions.subscribe(uri, options);
    if (row.handler === "unsubscribe" && typeof uri === "string") return subscriptions.unsubscribe(uri, options);
    if (row.handler === "callTool") return this.#callTool(upstream, { row, params, call });
    return this.#complete(upstream, { row, params: toForwarded(params, call.revision, upstream.revision), call });
  }

  /**
   * Sends a call until its result is complete. The input requests inside of results go to the client. The number of rounds is bounded, because a
   * server may require input again and again.
   */
  async #complete(
    upstream: Upstream,
    { row, params, call, signal = call.signal }: Forwarded<object>,
  ): Promise<unknown> {
    const options = { signal, onProgress: (progress: Progress) => void call.progress(progress) };
    const request = (more: object): Promise<unknown> =>
      this.#request(upstream, { method: row.method, params: { ...params, ...more }, call }, options);
    let result = await request({});
    for (let attempt = 1; isInputRequired(result); attempt += 1) {
      if (attempt > maxInputRounds) throw new RpcError(errorCodes.internalError, tooMuchInput);
      const input = await this.#respond(result, call);
      // Without an input request, the server waits for something else.
      if (input.inputResponses === undefined) await pause(inputRetryDelay, undefined, signal);
      result = await request(input);
    }
    return isObject(result) ? toForwarded(result, upstream.revision) : result;
  }

  /** Sends a request for a call. A request of the server on the stream of its response belongs to the call. */
  async #request(
    upstream: Upstream,
    { method, params, call }: { readonly method: string; readonly params: object; readonly call: CallContext },
    options: RequestOptions,
  ): Promise<unknown> {
    const sent = this.#sent.get(upstream);
    const ids: RequestId[] = [];
    const onId = (id: RequestId): void => {
      ids.push(id);
      sent?.set(id, call);
    };
    try {
      return await upstream.request(method, params, { ...options, onId });
    } finally {
      for (const id of ids) sent?.delete(id);
    }
  }

  /** Calls a tool, as a task if the client requests one or the tool only runs as one. */
  #callTool(upstream: Upstream, { row, params, call }: Forwarded): Promise<unknown> {
    const tasks = this.#bridge.at(call.revision);
    const sent = toForwarded(withoutTask(params), call.revision, upstream.revision);
    const forwarded = { row, params: sent, call };
    return this.#bridge.upstream.callTool({
      row,
      upstream,
      signal: call.signal,
      requested: tasks.readRequested(params, call),
      isTaskRequired: this.#bridge.tools.supportOf(params) === "required" && !tasks.isOffered(call.session),
      call: () => call,
      request: (more, options) =>
        this.#request(upstream, { method: row.method, params: { ...sent, ...more }, call }, options),
      complete: () => this.#complete(upstream, forwarded),
      completeWithTasks: async (during) => {
        const other = await this.#connectWithTasks(upstream);
        during.signal.throwIfAborted();
        const signal = withGrace(during.signal);
        return { upstream: other, result: await this.#complete(other, { ...forwarded, call: during, signal }) };
      },
    });
  }

  #connectWithTasks({ revision }: Upstream): Promise<Upstream> {
    // Nothing would close a connection that is opened after the end of the session.
    if (this.#ended.signal.aborted) return Promise.reject(toError(this.#ended.signal.reason));
    return this.#withTasks.get(async () => {
      const leave = this.#limit.enterBeside(this.#holder);
      return this.#openWith(declareTasks(toPrincipal(this.#session), revision), leave);
    });
  }

  /** Sends the input requests inside of a result to the client, one request for each. */
  async #respond({ inputRequests, requestState }: Record<string, unknown>, call: CallContext): Promise<InputResponses> {
    const requests = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    if (requests.length > maxInputRequests) throw new RpcError(errorCodes.internalError, tooManyInputRequests);
    const responses = await runConcurrently(requests, {
      signal: call.signal,
      run: async ([key, inputRequest], signal): Promise<[string, unknown]> => {
        const { method, params } = isObject(inputRequest) ? inputRequest : {};
        return [key, await this.#ask(String(method), isObject(params) ? params : {}, { signal, call })];
      },
    });
    return {
      ...(requests.length > 0 && { inputResponses: Object.fromEntries(responses) }),
      ...(typeof requestState === "string" && { requestState }),
    };
  }

  #ask(method: string, params: object, { signal, call }: Asking): Promise<unknown> {
    const row = findMethod(this.#session.revision.serverRequests, method);
    if (!row) return Promise.reject(methodNotFound(method));
    return (call ?? this.#latest ?? this.#connection).request(row, withoutTask(params), { signal });
  }

  #notify(handler: string, params: object): void {
    const row = findRow(this.#session.revision.serverNotifications, handler);
    if (!row || passedOnOtherwise.has(handler)) return;
    const target = handler === "loggingMessage" ? (this.#latest ?? this.#connection) : this.#connection;
    // A client that is about to disconnect may no longer receive it.
    target.notify(row, params).catch(() => {});
  }

  get #latest(): CallContext | undefined {
    return [...this.#calls].at(-1);
  }
}

/** Parts of a gateway used by a session proxy. */
export interface GatewayProxy {
  readonly connection: Connection;
  readonly session: Session;
  readonly bridge: TaskBridge;
  readonly limit: ConnectionLimit;
  readonly states: PrincipalStates;
}

interface Forwarded<Params = unknown> {
  readonly row: RequestRow;
  readonly params: Params;
  readonly call: CallContext;
  /** Aborts the requests to the server. Default: the signal of the call. */
  readonly signal?: AbortSignal;
}

/** Params added to the call by the next round. */
interface InputResponses {
  readonly inputResponses?: object;
  readonly requestState?: string;
}

interface Asking {
  readonly signal: AbortSignal;
  /** Request to which the input request belongs, if known. */
  readonly call?: CallContext | undefined;
}

/** Milliseconds between two rounds without an input request. */
const inputRetryDelay = 250;

/** Maximum number of rounds of one call, as by default for clients. */
const maxInputRounds = 10;

const tooMuchInput = `The server required input more than ${maxInputRounds} times in one call`;

const tooManyInputRequests = `The server sent more than ${maxInputRequests} input requests in one result`;

/** Notifications passed on by other parts of the gateway. */
export const passedOnOtherwise: ReadonlySet<string> = new Set(["progress", "cancelled", "taskStatus"]);
