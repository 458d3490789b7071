import type { RequestRow } from "../../../generated/support.ts";
import { onAbort } from "../../internal/abort-signals.ts";
import { findMethod } from "../methods/method-rows.ts";
import type { Session } from "../session/session.ts";
import type { MessageSteps } from "./message-middleware.ts";
import type { OutgoingRequestsHost, ResponseListener, StartOptions } from "./request-table.ts";
import { checkResult } from "./routes.ts";

/** Outgoing requests in middleware. Each step may send its request any number of times, under another id each time. */
export class MiddlewareRequests {
  readonly #host: OutgoingRequestsHost;
  readonly #run: NonNullable<MessageSteps["sendRequest"]>;
  #openings = 0;
  #onFree: () => void = () => {};

  constructor(host: OutgoingRequestsHost, run: NonNullable<MessageSteps["sendRequest"]>) {
    this.#host = host;
    this.#run = run;
  }

  /** True while the result that opens the session is in middleware. */
  get isBusy(): boolean {
    return this.#openings > 0;
  }

  whenFree(run: () => void): void {
    this.#onFree = run;
  }

  /** Runs the middleware around a request, and settles it with the outcome. An aborted signal settles it at once. */
  pass<Params, Result>(
    {
      row,
      params,
      options: { signal, related },
    }: { readonly row: RequestRow<Params, Result>; readonly params: Params; readonly options: StartOptions },
    settler: ResponseListener<Result>,
    send: (params: unknown, listener: ResponseListener<Result>) => void,
  ): void {
    signal?.throwIfAborted();
    const { session } = this.#host;
    const received: Result[] = [];
    let release: (() => void) | undefined;
    const sendGiven = (given: unknown): Promise<Result> =>
      new Promise((done, reject) => {
        this.#host.requireSendable(related);
        const resolve = (result: Result): void => {
          if (!session) release ??= this.#hold();
          received.push(result);
          done(result);
        };
        send(given, { resolve, reject });
      });
    const outcome = this.#run({ method: row.method, params, session }, sendGiven).then(
      (value) => received.find((result) => result === value) ?? checkResult(toCheckedRow(row, session), value),
    );
    untilAborted(outcome, signal)
      .then((result) => settler.resolve(result))
      .catch((error: unknown) => settler.reject(error))
      .finally(() => release?.());
  }

  /** Makes later messages wait for the session to open. Returns a function to end the wait. */
  #hold(): () => void {
    this.#openings += 1;
    return () => {
      this.#openings -= 1;
      if (this.#openings === 0) this.#onFree();
    };
  }
}

/** Resolves with the outcome of a request, or rejects when its signal is aborted before. */
function untilAborted<Result>(outcome: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return outcome;
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason));
    void outcome.then(resolve, reject).finally(leave);
  });
}

/** Returns the row with the check of a result as the code of this end has it: middleware replaces a converted result. */
function toCheckedRow<Params, Result>(
  row: RequestRow<Params, Result>,
  session: Session | undefined,
): RequestRow<Params, Result> {
  if (!session?.converter) return row;
  const { clientRequests, serverRequests } = session.converter.written;
  const written = findMethod(session.role === "client" ? clientRequests : serverRequests, row.method);
  return written ? { ...row, result: written.result } : row;
}
