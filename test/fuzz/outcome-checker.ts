import { isDeepStrictEqual } from "node:util";
import type { Method } from "../../generator/model.ts";
import { isObject } from "../../generated/support.ts";
import { secret } from "./handlers.ts";
import { isId, expectLine, type Receiver, type Id, type ExpectedOutcome } from "./expected-outcome.ts";

/** Permitted behavior of the tested peer for requests that it accepts. */
export interface Leeway {
  /** Codes of errors that handlers may return. */
  readonly codes: readonly number[];
  /** Calls whose handler waits to be cancelled. */
  readonly hanging: ReadonlySet<Id>;
  /** Calls that were cancelled while their handler ran. */
  readonly stopped: ReadonlySet<Id>;
  /** True if members that the revision does not have count as problems. */
  readonly isExact: boolean;
}

/** Compares the sent messages with the expected outcomes, and collects the differences as text. */
export class OutcomeChecker {
  readonly problems: string[] = [];
  /** Requests of the tested peer that have no response yet. */
  readonly pending = new Map<Id, Method>();
  /** Ids of the requests to it. */
  readonly used: Id[] = [];
  readonly #receiver: Receiver;
  readonly #leeway: Leeway;
  /** Ids of its requests that wait for a response; the value is false if they may have ended. */
  readonly #waiting = new Map<Id, boolean>();
  readonly #due = new Map<Id | undefined, Due[]>();
  /** Number of responses to each id. */
  readonly #responseCounts = new Map<Id | undefined, number>();

  constructor(receiver: Receiver, leeway: Leeway) {
    this.#receiver = receiver;
    this.#leeway = leeway;
  }

  /** Adds the expected outcome of a received line. */
  expect(line: Uint8Array): void {
    this.#expect(expectLine(line, this.#receiver));
  }

  /** Checks a sent message or batch. */
  checkSent(sent: unknown): void {
    if (!Array.isArray(sent)) return this.#checkMessage(sent);
    if (sent.length === 0 || !this.#receiver.fuzz.revision.batching) this.#complain("a batch that may not be", sent);
    for (const message of sent) this.#checkMessage(message);
  }

  /** Returns the missing responses. Responses to equal ids are counted, because they cannot be distinguished. */
  findMissing(): readonly string[] {
    return [...this.#due].flatMap(([id, dues]) => {
      const free = dues.filter((due) => due.isExcused || this.#isHeldUp(id, due));
      const isMet = (this.#responseCounts.get(id) ?? 0) + free.length >= dues.length;
      return isMet ? [] : [`no response: ${JSON.stringify({ id, dues })}`];
    });
  }

  #isHeldUp(id: Id | undefined, { companions }: Due): boolean {
    return [id, ...companions].some((other) => other !== undefined && this.#leeway.hanging.has(other));
  }

  #expect(outcome: ExpectedOutcome, companions: readonly Id[] = []): void {
    switch (outcome.kind) {
      case "nothing":
        return;
      case "batch":
        return outcome.members.forEach((member) => this.#expect(member, outcome.members.flatMap(toId)));
      case "either":
        this.#doubt(outcome.outcomes.flatMap((each) => ("id" in each && each.id !== undefined ? [each.id] : [])));
        return this.#excuse(outcome.outcomes);
      case "response":
        return this.#end(outcome, companions);
      case "cancellation":
        // Requests of a cancelled call are cancelled as well, which is not visible yet.
        this.#doubt([...this.#waiting.keys()]);
        for (const due of this.#due.get(outcome.id) ?? []) due.isExcused ||= due.outcome.kind === "call";
        return;
      case "call":
        this.used.push(outcome.id);
        return this.#await({ outcome, companions, isExcused: false });
      case "rejection":
        return this.#await({ outcome, companions, isExcused: false });
    }
  }

  #end({ id, stray }: Extract<ExpectedOutcome, { readonly kind: "response" }>, companions: readonly Id[]): void {
    const isSure = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (isSure === undefined) this.#expect(stray, companions);
    else if (!isSure) this.#excuse([stray]);
  }

  #excuse(outcomes: readonly ExpectedOutcome[]): void {
    for (const outcome of outcomes.filter(isExpectedResponse))
      this.#await({ outcome, companions: [], isExcused: true });
  }

  #doubt(ids: readonly Id[]): void {
    for (const id of ids) if (this.#waiting.has(id)) this.#waiting.set(id, false);
  }

  #await(due: Omit<Due, "mayRepeat">): void {
    const { id } = due.outcome;
    const dues = this.#due.get(id) ?? [];
    dues.push({ ...due, mayRepeat: dues.length > 0 });
    this.#due.set(id, dues);
  }

  #checkMessage(message: unknown): void {
    if (!isObject(message) || message.jsonrpc !== "2.0") return this.#complain("not a message", message);
    if (JSON.stringify(message).includes(secret)) this.#complain("a secret", message);
    if (typeof message.method === "string") return this.#checkCall(message);
    const { id } = message;
    if (id !== undefined && !isId(id)) return this.#complain("an id that is none", message);
    const dues = this.#due.get(id) ?? [];
    const count = (this.#responseCounts.get(id) ?? 0) + 1;
    this.#responseCounts.set(id, count);
    if (count > dues.length) this.#complain("an unexpected response", { message, dues });
    else if (dues.length === 1 && id !== undefined && this.#leeway.stopped.has(id))
      this.#complain("a late response", message);
    else if (!dues.some((due) => this.#fits(message, due))) this.#complain("a wrong response", { message, dues });
  }

  #checkCall(message: Readonly<Record<string, unknown>>): void {
    const { fuzz, role } = this.#receiver;
    const { id, method: name, params } = message;
    const kind = id === undefined ? "notification" : "request";
    const method = fuzz.sentBy(role, kind).find((candidate) => candidate.name === name);
    if (!method) return this.#complain("a method that this end does not have", message);
    const isLeftOut = params === undefined && method.params?.optional !== false;
    if (!isLeftOut && !this.#isSound(method, "params", params)) this.#complain("invalid params", message);
    if (name === "notifications/cancelled" && isObject(params) && isId(params.requestId))
      this.#waiting.delete(params.requestId);
    if (!isId(id)) return;
    if (this.pending.has(id)) this.#complain("an id twice", message);
    this.pending.set(id, method);
    this.#waiting.set(id, true);
  }

  #isSound(method: Method, part: "params" | "result", value: unknown): boolean {
    const { fuzz } = this.#receiver;
    if (!fuzz.isValid(method, part, value)) return false;
    return !this.#leeway.isExact || fuzz.findUnknown(method, part, value).length === 0;
  }

  #fits(message: Readonly<Record<string, unknown>>, { outcome, mayRepeat }: Due): boolean {
    const { result, error } = message;
    if (mayRepeat && isError(error) && error.code === -32600) return true;
    if (outcome.kind === "rejection") return result === undefined && isRejection(error, outcome);
    if (result === undefined) return isError(error) && this.#leeway.codes.includes(error.code);
    const method = this.#receiver.fuzz.methods.find(({ name }) => name === outcome.method);
    return error === undefined && method !== undefined && this.#isSound(method, "result", result);
  }

  #complain(problem: string, value: unknown): void {
    this.problems.push(`${problem}: ${JSON.stringify(value)?.slice(0, 1_500)}`);
  }
}

type ExpectedResponse = Extract<ExpectedOutcome, { readonly kind: "rejection" | "call" }>;

/** Response that is expected. */
interface Due {
  readonly outcome: ExpectedResponse;
  /** Ids of the same batch, whose responses are sent together. */
  readonly companions: readonly Id[];
  /** True if it may be missing: it was cancelled, or is one of several that are permitted. */
  isExcused: boolean;
  /** True if an earlier request with the same id may still run. */
  readonly mayRepeat: boolean;
}

function isExpectedResponse(outcome: ExpectedOutcome): outcome is ExpectedResponse {
  return outcome.kind === "rejection" || outcome.kind === "call";
}

function toId(outcome: ExpectedOutcome): readonly Id[] {
  return outcome.kind === "call" ? [outcome.id] : [];
}

interface SentError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

function isError(error: unknown): error is SentError {
  return isObject(error) && Number.isInteger(error.code) && typeof error.message === "string" && isClosed(error);
}

function isClosed(error: Readonly<Record<string, unknown>>): boolean {
  const isInternal = error.code !== -32603 || isDeepStrictEqual(error, { code: -32603, message: "Internal error" });
  return isInternal && Object.keys(error).every((key) => ["code", "message", "data"].includes(key));
}

function isRejection(
  error: unknown,
  { codes, params }: Extract<ExpectedOutcome, { readonly kind: "rejection" }>,
): boolean {
  if (!isError(error) || !codes.includes(error.code)) return false;
  if (error.code !== -32602) return true;
  return isObject(error.data) && typeof error.data.path === "string" && leadsInto(params, error.data.path);
}

/** Every step of a path but the last must be there. */
function leadsInto(value: unknown, path: string): boolean {
  const keys = path === "" ? [] : path.split("/").slice(0, -1);
  let inner = value;
  for (const key of keys) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, name)) return false;
    inner = Reflect.get(inner, name);
  }
  return true;
}
