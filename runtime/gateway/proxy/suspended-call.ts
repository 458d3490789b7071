import { isObject, type EmbeddedRow, type RequestRow } from "../../../generated/support.ts";
import { inLaterTurn } from "../../internal/timers.ts";
import { firstInputRequests } from "../../protocol/methods/input-request-limit.ts";
import { toWrittenRow } from "../../protocol/session/written-row.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { InvalidMessageError, RpcError, errorCodes, methodNotFound, toError } from "../../jsonrpc/errors.ts";
import { followSignals, onAbort } from "../../internal/abort-signals.ts";
import { readAuth } from "../../server/context.ts";
import { toStateScope } from "../../server/input/request-state.ts";
import { toEmbedded } from "../convert-messages.ts";

interface SentInputRequest {
  readonly method: string;
  readonly params: object;
  readonly row: EmbeddedRow;
  resolve(respond: unknown): void;
  reject(reason: Error): void;
}

/** Outcome of a step of a call: it is done, or its server has requested input. */
export type Turn = { readonly kind: "done"; readonly result: unknown } | { readonly kind: "asked" };

/** Call at a server with sessions. It continues while its client collects input responses. */
export class SuspendedCall {
  readonly #identity: string;
  readonly #row: RequestRow;
  readonly #inputRequests = new Map<string, SentInputRequest>();
  readonly #given = new AbortController();
  #count = 0;
  #asked: () => void = () => {};
  #work: Promise<unknown> = Promise.resolve();
  #hasEnded = false;
  /** Request which currently represents the call and receives the messages of the server. */
  call: CallContext;

  constructor(call: CallContext, row: RequestRow, params: unknown) {
    this.call = call;
    this.#row = row;
    this.#identity = identify(call, row.method, params);
  }

  /** Aborted when the client cancels the call, or does not return. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }

  /** True if the result of the call may be input requests: results of lists may not. */
  get mayAsk(): boolean {
    return this.#row.result({ resultType: "input_required", requestState: "" }) === undefined;
  }

  /** Replaces the call by a request from now on. Until the returned function is called, aborting the request aborts the call. */
  follow(call: CallContext): () => void {
    this.call = call;
    return followSignals(this.#given, [call.signal]);
  }

  begin(work: Promise<unknown>): void {
    this.#work = work;
    const withdraw = (): void => this.#withdrawAll();
    work.then(withdraw, withdraw);
  }

  abort(reason: Error): void {
    this.#given.abort(reason);
  }

  /** True if a request is the same call again, by the same client. */
  isSame(call: CallContext, method: string, params: unknown): boolean {
    return this.#identity === identify(call, method, params);
  }

  /** Sends a request of the server to the client, with the next result. Rejects it if the result of this call cannot contain input requests. */
  ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const found = findMethod(this.call.revision.embeddedRequests, method);
    const row = found && toWrittenRow(found, this.call.session);
    if (!row || !this.mayAsk) return Promise.reject(methodNotFound(method));
    if (this.#hasEnded) return Promise.reject(hasEnded());
    if (signal.aborted) return Promise.reject(toError(signal.reason));
    const shown = toEmbedded(params);
    const issue = row.params(shown);
    if (issue) return Promise.reject(new InvalidMessageError(method, "params", issue));
    this.#count += 1;
    const key = `${row.handler}-${this.#count}`;
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => {
        this.#inputRequests.delete(key);
        reject(signal.reason);
      });
      const settle =
        <Value>(settled: (value: Value) => void) =>
        (value: Value): void => {
          unlisten();
          settled(value);
        };
      this.#inputRequests.set(key, { method, params: shown, row, resolve: settle(resolve), reject: settle(reject) });
      // Concurrent requests are shown together. A request that was shown and has its response by then is not shown again.
      inLaterTurn(() => this.#inputRequests.has(key) && this.#asked());
    });
  }

  /** Rejects all open requests: when a call has ended, not every server cancels its own requests for it. */
  #withdrawAll(): void {
    this.#hasEnded = true;
    const open = [...this.#inputRequests.values()];
    this.#inputRequests.clear();
    for (const { reject } of open) reject(hasEnded());
  }

  /**
   * Takes the responses of a client. Ignores responses without a request.
   *
   * @throws {RpcError} when a response is invalid
   */
  respond(responses: unknown): void {
    if (!isObject(responses)) return;
    const given = [...this.#inputRequests].flatMap(([key, inputRequest]) =>
      Object.hasOwn(responses, key) ? [{ key, inputRequest, response: responses[key] }] : [],
    );
    for (const { key, inputRequest, response } of given) {
      const issue = inputRequest.row.result(response);
      if (!issue) continue;
      throw new RpcError(errorCodes.invalidParams, "Invalid params: invalid input response", {
        data: { ...issue, key },
      });
    }
    for (const { key, inputRequest, response } of given) {
      this.#inputRequests.delete(key);
      inputRequest.resolve(response);
    }
  }

  /** Waits until the server has responded, or requests input. */
  async next(): Promise<Turn> {
    if (this.#inputRequests.size > 0) return { kind: "asked" };
    const asked = new Promise<Turn>((resolve) => (this.#asked = () => resolve({ kind: "asked" })));
    const done = this.#work.then((result): Turn => ({ kind: "done", result }));
    return Promise.race([done, asked]);
  }

  /** Returns the result with the open input requests, or with as many as one result may have. */
  toResult(requestState: string): object {
    const inputRequests = [...this.#inputRequests].map(([key, { method, params }]): readonly [string, object] => {
      const isBare = Object.keys(params).length === 0;
      return [key, isBare ? { method } : { method, params }];
    });
    return { resultType: "input_required", inputRequests: firstInputRequests(inputRequests), requestState };
  }
}

function hasEnded(): RpcError {
  return new RpcError(errorCodes.internalError, "The call of the client has ended");
}

/** Returns the identity of a call: its principal, revision, method and params. Responses with another identity are not accepted. */
function identify({ origin, revision }: CallContext, method: string, params: unknown): string {
  const principal = readAuth(origin)?.principal;
  return toStateScope({ revision: revision.id, method, params: isObject(params) ? params : {}, principal });
}
