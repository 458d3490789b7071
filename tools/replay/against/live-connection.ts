import { isObject, type Revision } from "../../../generated/support.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { observeChannel } from "../../../runtime/gateway/traffic/observe-channel.ts";
import { RpcError, methodNotFound, toError } from "../../../runtime/jsonrpc/errors.ts";
import { classify, type ErrorObject, type Message, type RequestId } from "../../../runtime/jsonrpc/message.ts";
import { readMetaKeys } from "../../../runtime/protocol/session/request-metadata.ts";
import { isImplementationInfo } from "../../../runtime/protocol/session/session.ts";
import { toRequestKey } from "../request-key.ts";

/** Result or error of a live request, or the reason why it has none. */
export type LiveOutcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: ErrorObject }
  | { readonly kind: "failure"; readonly reason: string };

/** Recorded request of a server, with the recorded response of the client. */
export interface RecordedInput {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  /** Time of the request, in milliseconds since 1970. */
  readonly sent: number;
  /** Absent if the client has not responded. */
  readonly response: { readonly result: unknown } | { readonly error: ErrorObject } | undefined;
}

/** Notification of a server. */
export interface LiveNotification {
  readonly method: string;
  readonly params: unknown;
  /** Time of the message, in milliseconds since 1970. */
  readonly sent: number;
}

/** Recorded connection, and how the live one in its place is opened. */
export interface LiveConnectionOptions {
  readonly open: ConnectionFactory;
  readonly revision: Revision;
  /** Params of the recorded request that opened the connection. */
  readonly opening: unknown;
  /** Recorded requests of the server on this connection. */
  readonly inputs: readonly RecordedInput[];
  /** Milliseconds to wait for each response. */
  readonly timeout: number;
  /** Receives a request of the server, and the recorded one matched with it. */
  onInput(input: {
    readonly method: string;
    readonly params: unknown;
    readonly recorded: RecordedInput | undefined;
  }): void;
  /** Returns a recorded value with live texts in place of recorded ones. */
  translate(value: unknown): unknown;
}

/** Connection to the live server, in place of one recorded connection. Responses are kept as they are on the wire. */
export class LiveConnection {
  readonly notifications: LiveNotification[] = [];
  readonly #options: LiveConnectionOptions;
  /** Outcomes of requests by their live id. */
  readonly #responses = new Map<RequestId, (outcome: LiveOutcome) => void>();
  readonly #used = new Set<RecordedInput>();
  readonly #waiting = new Map<RequestId, () => void>();
  #connection: ClientConnection | undefined;
  #lastId: RequestId | undefined;
  /** Result of the opening request. */
  #opened: unknown;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
  }

  /** Opens the connection, and returns the result of the opening request. */
  async open(): Promise<unknown> {
    const { open, revision, opening, timeout } = this.#options;
    const { info, capabilities } = readDeclarations(opening, revision);
    this.#connection = await open({
      info,
      capabilities,
      revisions: [revision],
      lifecycle: revision.lifecycle,
      handlers: (spoken) => this.#createHandlers(spoken),
      timeouts: { initialize: timeout, request: timeout, work: timeout, wait: timeout, total: Infinity },
      onNewSession() {},
      onNotificationsLost() {},
      observe: (channel) =>
        observeChannel(channel, {
          sent: (message) => this.#noteSent(message),
          received: (value) => this.#noteReceived(value),
          unreadable() {},
        }),
    });
    return this.#opened;
  }

  /** Sends a request. The outcome is a result or an error exactly as the server has sent it. */
  async request(method: string, params: unknown, signal: AbortSignal): Promise<LiveOutcome> {
    const { timeout } = this.#options;
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const { progressToken, ...rest } = meta;
    const given = isObject(params) ? { ...params, ...(isObject(params._meta) && { _meta: rest }) } : params;
    const onProgress = progressToken === undefined ? {} : { onProgress: () => {} };
    this.#lastId = undefined;
    const sent = this.#required.request(method, given, { signal, timeout, totalTimeout: Infinity, ...onProgress });
    const id = this.#lastId;
    const failed = sent.then(
      () => new Promise<never>(() => {}),
      (error: unknown): LiveOutcome => ({ kind: "failure", reason: toError(error).message }),
    );
    if (id === undefined) return failed;
    const received = new Promise<LiveOutcome>((resolve) => this.#responses.set(id, resolve));
    return Promise.race([received, failed]);
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.#required.notify(method, params).catch(() => {});
  }

  /** Waits until the server has sent the counterpart of a recorded request, or the time is up. */
  async waitForInput(id: RequestId, milliseconds: number): Promise<void> {
    if ([...this.#used].some((one) => one.id === id)) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => this.#waiting.set(id, resolve)),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))),
    ]);
    clearTimeout(timer);
  }

  /** Recorded requests of the server that the live server has not sent. */
  get missingInputs(): readonly RecordedInput[] {
    return this.#options.inputs.filter((input) => !this.#used.has(input));
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  get #required(): ClientConnection {
    if (!this.#connection) throw new Error("The connection is not open yet");
    return this.#connection;
  }

  #noteSent(message: Message): void {
    if ("method" in message && "id" in message) this.#lastId = message.id;
  }

  #noteReceived(value: unknown): void {
    const incoming = classify(value);
    switch (incoming.kind) {
      case "notification":
        this.notifications.push({ method: incoming.method, params: incoming.params, sent: Date.now() });
        return;
      case "result":
        if (this.#connection === undefined) this.#opened = incoming.result;
        return this.#settle(incoming.id, { kind: "result", result: incoming.result });
      case "error":
        return this.#settle(incoming.id, { kind: "error", error: incoming.error });
      case "request":
      case "invalid":
      case "unusable":
        return;
      default:
        return incoming satisfies never;
    }
  }

  #settle(id: RequestId | undefined, outcome: LiveOutcome): void {
    if (id === undefined) return;
    this.#responses.get(id)?.(outcome);
    this.#responses.delete(id);
  }

  #createHandlers(revision: Revision): object {
    const rows = Object.values(revision.serverRequests).filter(({ handler }) => handler !== "ping");
    return Object.fromEntries(
      rows.map(({ handler, method }) => [
        handler,
        (params: unknown, { signal }: { readonly signal: AbortSignal }) => this.#respond(method, params, signal),
      ]),
    );
  }

  /** Responds to a request of the server as the recorded client did. */
  #respond(method: string, params: unknown, signal: AbortSignal): unknown {
    const recorded = this.#findInput(method, params);
    this.#options.onInput({ method, params, recorded });
    if (!recorded) throw methodNotFound(method);
    this.#used.add(recorded);
    this.#waiting.get(recorded.id)?.();
    const { response } = recorded;
    if (!response)
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    if ("result" in response) return this.#options.translate(response.result);
    const { code, message, data } = response.error;
    throw new RpcError(code, message, data === undefined ? {} : { data });
  }

  #findInput(method: string, params: unknown): RecordedInput | undefined {
    const open = this.missingInputs.filter((input) => input.method === method);
    const key = toRequestKey(method, params);
    return open.find((input) => toRequestKey(method, input.params) === key) ?? open[0];
  }
}

/** Reads name and capabilities of the recorded client. */
function readDeclarations(
  opening: unknown,
  revision: Revision,
): {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: Record<string, unknown>;
} {
  const params = isObject(opening) ? opening : {};
  const meta = isObject(params._meta) ? params._meta : {};
  const keys = revision.lifecycle === "handshake" ? undefined : readMetaKeys(revision);
  const info = keys ? meta[keys.clientInfo ?? ""] : params.clientInfo;
  const capabilities = keys ? meta[keys.capabilities] : params.capabilities;
  return {
    info: isImplementationInfo(info) ? info : { name: "replay", version: "1.0.0" },
    capabilities: isObject(capabilities) ? capabilities : {},
  };
}
