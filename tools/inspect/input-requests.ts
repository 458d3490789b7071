import { isObject } from "../../generated/support.ts";
import type { ClientRequestContext, FormContext } from "../../runtime/client/protocol-types.ts";
import { describeIssues } from "../../runtime/protocol/methods/schema-issue.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import type { InputRequest } from "./page-messages.ts";

/** Requests of the server that wait until a person responds on the page. */
export class InputRequests {
  readonly #waiting = new Map<number, Waiting>();
  readonly #onChange: () => void;
  #last = 0;

  /** @param onChange - called when a request arrives or ends */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get list(): readonly InputRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Waits for the response to a request. Rejects when the server cancels it. */
  wait(kind: InputRequest["kind"], params: object, context: ClientRequestContext | FormContext): Promise<object> {
    this.#last += 1;
    const id = this.#last;
    const { signal, revision } = context;
    const request: InputRequest = { id, kind, protocol: revision, params: { ...params } };
    const outcome = new Promise<object>((resolve, reject) => {
      const check = "check" in context ? (content: object) => context.check(content) : undefined;
      this.#waiting.set(id, { request, resolve, reject, ...(check && { check }) });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
    this.#onChange();
    return outcome.finally(() => {
      this.#waiting.delete(id);
      this.#onChange();
    });
  }

  /**
   * Sends a response to the server, or the error message of a rejection.
   *
   * @throws {UserError} when the request has ended, or the content of a form does not fit its schema
   */
  respond(id: number, { response, rejection }: { readonly response?: object; readonly rejection?: string }): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) throw new UserError("The input request has ended; the server no longer waits for it.");
    if (response === undefined) return waiting.reject(new Error(rejection ?? "The user has rejected the request"));
    const { action, content } = Object.fromEntries(Object.entries(response));
    if (action === "accept" && waiting.check && !isObject(content))
      throw new UserError("The content of the form is no object; write its members.");
    const issues = action === "accept" && isObject(content) ? (waiting.check?.(content) ?? []) : [];
    if (issues.length > 0) throw new UserError(`The form is incomplete: ${describeIssues(issues)}`);
    waiting.resolve(response);
  }
}

interface Waiting {
  readonly request: InputRequest;
  readonly resolve: (response: object) => void;
  readonly reject: (reason: unknown) => void;
  readonly check?: FormContext["check"];
}
