import { isObject, type NotificationRow, type RequestRow } from "../../../generated/support.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { InvalidMessageError } from "../../jsonrpc/errors.ts";
import type { State } from "../../protocol/peer/peer.ts";
import type { Session } from "../../protocol/session/session.ts";
import type { ClientConnection } from "../connect.ts";
import { withFreshHeaders } from "../connection/fresh-headers.ts";
import { findListRow, readPageItems, type AnyPage, type ListOptions } from "../lists/lists.ts";
import type { ListName } from "../protocol-types.ts";
import type { RootsKeeper } from "../input/roots.ts";
import { SessionState, knowsLevels, type SessionTarget } from "./session-state.ts";
import type { ListCallOptions, ReadCallOptions, SessionCallOptions } from "./client-session.ts";
import { SessionView } from "./session-view.ts";
import type { AnyClientOptions } from "../options.ts";
import type { TaskHandle, TaskRequestOptions } from "../../tasks/task-handle.ts";
import type { TaskState } from "../../tasks/task.ts";
import type { ResourceListener } from "../subscriptions/resource-subscriptions.ts";
import { checkToolOutput, isRepeatable } from "../tool-output.ts";

/** Session of a client with one server, without the types of a revision. */
export class DefaultClientSession extends SessionView implements ClientConnection, AsyncDisposable {
  readonly roots: RootsKeeper;
  readonly #core: SessionState;

  constructor(source: AnyClientOptions, roots: RootsKeeper, target: SessionTarget) {
    super();
    this.roots = roots;
    this.#core = new SessionState(source, roots, target);
  }

  /** Opens the first connection; rejects if this fails. */
  start(): Promise<void> {
    return this.#core.line.start();
  }

  get state(): State {
    if (this.#core.line.isUp) return this.#core.line.last.state;
    return this.#core.line.isEnded ? "DISCONNECTED" : "INITIALIZING";
  }

  get closed(): Promise<Error | undefined> {
    return this.#core.line.closed;
  }

  get session(): Session {
    return this.#core.line.last.session;
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: Repeatable): Promise<Result>;
  request(method: string, params?: unknown, options?: Repeatable): Promise<unknown>;
  request(target: RequestRow | string, params?: unknown, given: Repeatable = {}): Promise<unknown> {
    const { retry, ...options } = given;
    const row = typeof target === "string" ? findMethod(this.revision.clientRequests, target) : target;
    return this.#core.run(
      (connection, remaining) =>
        typeof target === "string"
          ? connection.request(target, params, remaining)
          : connection.request(target, params, remaining),
      { retry: retry ?? this.#core.retryOf({ isSafe: row?.safe === true }), row, options },
    );
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  notify(method: string, params?: unknown): Promise<void>;
  notify(target: NotificationRow | string, params?: unknown): Promise<void> {
    return this.#core.line.run(
      (connection) =>
        typeof target === "string" ? connection.notify(target, params) : connection.notify(target, params),
      { retry: "never" },
    );
  }

  listTools(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("tools", options);
  }

  listResources(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("resources", options);
  }

  listResourceTemplates(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("resourceTemplates", options);
  }

  listPrompts(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("prompts", options);
  }

  async *pages(list: ListName, options: ListOptions = {}): AsyncGenerator<AnyPage> {
    const row = findListRow(list, this.revision);
    const connection = await this.#core.line.run((ready) => Promise.resolve(ready), { retry: "never", row, options });
    yield* this.#core.lists.pages(list, connection, options);
  }

  async *items(list: ListName, options: ListOptions = {}): AsyncGenerator<object> {
    for await (const page of this.pages(list, options)) yield* readPageItems(list, page);
  }

  /**
   * Calls a tool, as a task if the caller or the tool requires one.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
   */
  async callTool(name: string, args?: object, given: ToolCallOptions = {}): Promise<object> {
    const { validator } = this.#core.source;
    const { task, ...options } = given;
    const tool = validator || task ? await this.#findTool(name, options) : this.#findKnownTool(name);
    const toResult = (result: unknown): object => this.#readToolResult(result, tool);
    const list = (): Promise<unknown> => this.#list("tools", { refresh: true });
    const around = (send: () => Promise<unknown>): Promise<unknown> =>
      withFreshHeaders(send, { revision: this.revision, list });
    const call = { name, args, tool, toResult, around };
    if (task) return this.#core.tasks.start(call, { ...options, task });
    if (this.#core.tasks.isRequired(tool)) return this.#core.tasks.run(call, options);
    const retry = isRepeatable(tool, this.revision) ? (options.retry ?? this.#core.retryOf({ isSafe: true })) : "never";
    const params = { name, ...(args && { arguments: args }) };
    const onLateResult = (late: unknown): void => {
      this.#core.tasks.abandon(late);
      options.onLateResult?.(late);
    };
    const result = await this.#core.work("callTool", params, { ...options, retry, around, onLateResult });
    return this.#core.tasks.complete(result, call, options);
  }

  /** Returns the handle of the task of an earlier tool call. */
  toolTask(taskId: string): TaskHandle<object> {
    return this.#core.tasks.follow({ taskId }, (result) => this.#readToolResult(result, undefined));
  }

  listTasks(options: SessionCallOptions = {}): Promise<readonly TaskState[]> {
    return this.#core.tasks.list(options);
  }

  /** Reads a resource. The result of a request with its own metadata may depend on it, so it is neither cached nor taken from the cache. */
  readResource(uri: string, { refresh = false, ...options }: ReadCallOptions = {}): Promise<object> {
    const ask = (): Promise<Record<string, unknown>> => this.#core.work("readResource", { uri }, options);
    const isKept = (this.#core.source.cache?.reads ?? true) && options.meta === undefined;
    return isKept ? this.#core.reads.read(uri, ask, { refresh }) : ask();
  }

  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: SessionCallOptions): Promise<object> {
    return this.#core.work("getPrompt", { name, ...(args && { arguments: args }) }, options);
  }

  async complete(params: object, options?: SessionCallOptions): Promise<object> {
    const { completion } = await this.#core.call("complete", params, options);
    return isObject(completion) ? completion : {};
  }

  async ping(options?: SessionCallOptions): Promise<void> {
    await this.#core.call("ping", undefined, options);
  }

  subscribe(uri: string, listener: ResourceListener, options: RequestOptions = {}): Promise<() => Promise<void>> {
    return this.#core.subscriptions.add(uri, listener, options);
  }

  async setLogLevel(level: string, options: SessionCallOptions = {}): Promise<void> {
    if (knowsLevels(this.revision)) await this.#core.call("setLevel", { level }, options);
    this.#core.logLevel = level;
  }

  close(): Promise<void> {
    return this.#core.line.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Notifies the server of changed roots. */
  notifyRootsListChanged(): void {
    this.#core.notifyRootsListChanged();
  }

  #list(list: ListName, { retry, refresh = false, ...options }: ListCallOptions = {}): Promise<readonly object[]> {
    return this.#core.line.run(
      async (connection, remaining) => {
        const kept = refresh ? undefined : this.#core.lists.find(list, connection);
        if (kept) return kept;
        const items = await this.#core.lists.read(list, connection, { ...options, ...remaining });
        this.#core.listening.restore();
        return items;
      },
      { retry: retry ?? this.#core.retryOf({ isSafe: true }), row: findListRow(list, this.revision), options },
    );
  }

  /** Finds a tool. Reads the list only if it is not known: a server should notify of changes of its tools. */
  async #findTool(name: string, options: RequestOptions): Promise<object | undefined> {
    const { signal, timeout, totalTimeout } = options;
    const limits = {
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeout }),
      ...(totalTimeout !== undefined && { totalTimeout }),
    };
    const tools = this.#core.lists.latest("tools") ?? (await this.#list("tools", limits));
    return findNamed(tools, name);
  }

  #readToolResult(result: unknown, tool: object | undefined): object {
    if (!isObject(result) || !Object.hasOwn(result, "content")) {
      throw new InvalidMessageError("tools/call", "result", {
        path: "content",
        expected: "present, as no task was requested",
      });
    }
    const { validator } = this.#core.source;
    if (validator && tool) checkToolOutput(tool, result, { revision: this.revision, validator });
    return result;
  }

  #findKnownTool(name: string): object | undefined {
    return findNamed(this.#core.lists.latest("tools") ?? [], name);
  }
}

function findNamed(tools: readonly object[], name: string): object | undefined {
  return tools.find((tool) => Reflect.get(tool, "name") === name);
}

/** Options of a tool call, also as a task. */
type ToolCallOptions = SessionCallOptions & Partial<TaskRequestOptions>;

/** Options of a request by its row or method name. */
type Repeatable = Omit<SessionCallOptions, "meta">;
