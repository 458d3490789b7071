import { isDeepStrictEqual } from "node:util";
import type { Method } from "../../generator/model.ts";
import { isObject } from "../../generated/support.ts";
import { secret } from "./handlers.ts";
import { isId, judgeLine, type Hearing, type Id, type Verdict } from "./expected-outcome.ts";

/** What the end under test may do with requests that it takes. */
export interface Leeway {
  /** Codes that handlers may answer with. */
  readonly codes: readonly number[];
  /** Calls whose handler waits to be cancelled. */
  readonly hanging: ReadonlySet<Id>;
  /** Calls that were cancelled while their handler ran. */
  readonly stopped: ReadonlySet<Id>;
  /** Whether keys that the revision does not know are looked for, too. */
  readonly isExact: boolean;
}

/** Compares what leaves with what must: collects problems in words. */
export class Referee {
  readonly problems: string[] = [];
  /** Requests of the end under test that were not answered yet. */
  readonly asked = new Map<Id, Method>();
  /** Ids under which something was asked of it. */
  readonly used: Id[] = [];
  readonly #hearing: Hearing;
  readonly #leeway: Leeway;
  /** Ids of its requests that wait for a response, and whether that is sure. */
  readonly #waiting = new Map<Id, boolean>();
  readonly #due = new Map<Id | undefined, Due[]>();
  /** How many answers each id has got. */
  readonly #answers = new Map<Id | undefined, number>();

  constructor(hearing: Hearing, leeway: Leeway) {
    this.#hearing = hearing;
    this.#leeway = leeway;
  }

  /** One line arrives. */
  hear(line: Uint8Array): void {
    this.#expect(judgeLine(line, this.#hearing));
  }

  /** A message or batch has left. */
  see(sent: unknown): void {
    if (!Array.isArray(sent)) return this.#seeMessage(sent);
    if (sent.length === 0 || !this.#hearing.fuzz.revision.batching) this.#complain("a batch that may not be", sent);
    for (const message of sent) this.#seeMessage(message);
  }

  /** What should have come and has not. An answer does not say to which of two equal ids it belongs, so they are counted. */
  findMissing(): readonly string[] {
    return [...this.#due].flatMap(([id, dues]) => {
      const free = dues.filter((due) => due.isExcused || this.#isHeldUp(id, due));
      const isMet = (this.#answers.get(id) ?? 0) + free.length >= dues.length;
      return isMet ? [] : [`no answer: ${JSON.stringify({ id, dues })}`];
    });
  }

  #isHeldUp(id: Id | undefined, { companions }: Due): boolean {
    return [id, ...companions].some((other) => other !== undefined && this.#leeway.hanging.has(other));
  }

  #expect(verdict: Verdict, companions: readonly Id[] = []): void {
    switch (verdict.kind) {
      case "nothing":
        return;
      case "batch":
        return verdict.members.forEach((member) => this.#expect(member, verdict.members.flatMap(toId)));
      case "either":
        this.#doubt(verdict.verdicts.flatMap((each) => ("id" in each && each.id !== undefined ? [each.id] : [])));
        return this.#excuse(verdict.verdicts);
      case "response":
        return this.#end(verdict, companions);
      case "cancellation":
        // What is asked during a call that is cancelled is taken back, which is not seen yet.
        this.#doubt([...this.#waiting.keys()]);
        for (const due of this.#due.get(verdict.id) ?? []) due.isExcused ||= due.verdict.kind === "call";
        return;
      case "call":
        this.used.push(verdict.id);
        return this.#await({ verdict, companions, isExcused: false });
      case "refusal":
        return this.#await({ verdict, companions, isExcused: false });
    }
  }

  #end({ id, stray }: Extract<Verdict, { readonly kind: "response" }>, companions: readonly Id[]): void {
    const isSure = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (isSure === undefined) this.#expect(stray, companions);
    else if (!isSure) this.#excuse([stray]);
  }

  #excuse(verdicts: readonly Verdict[]): void {
    for (const verdict of verdicts.filter(isAnswer)) this.#await({ verdict, companions: [], isExcused: true });
  }

  #doubt(ids: readonly Id[]): void {
    for (const id of ids) if (this.#waiting.has(id)) this.#waiting.set(id, false);
  }

  #await(due: Omit<Due, "mayRepeat">): void {
    const { id } = due.verdict;
    const dues = this.#due.get(id) ?? [];
    dues.push({ ...due, mayRepeat: dues.length > 0 });
    this.#due.set(id, dues);
  }

  #seeMessage(message: unknown): void {
    if (!isObject(message) || message.jsonrpc !== "2.0") return this.#complain("not a message", message);
    if (JSON.stringify(message).includes(secret)) this.#complain("a secret", message);
    if (typeof message.method === "string") return this.#seeCall(message);
    const { id } = message;
    if (id !== undefined && !isId(id)) return this.#complain("an id that is none", message);
    const dues = this.#due.get(id) ?? [];
    const answers = (this.#answers.get(id) ?? 0) + 1;
    this.#answers.set(id, answers);
    if (answers > dues.length) this.#complain("an answer that nobody waits for", { message, dues });
    else if (dues.length === 1 && id !== undefined && this.#leeway.stopped.has(id))
      this.#complain("a late answer", message);
    else if (!dues.some((due) => this.#fits(message, due))) this.#complain("a wrong answer", { message, dues });
  }

  #seeCall(message: Readonly<Record<string, unknown>>): void {
    const { fuzz, role } = this.#hearing;
    const { id, method: name, params } = message;
    const kind = id === undefined ? "notification" : "request";
    const method = fuzz.sentBy(role, kind).find((candidate) => candidate.name === name);
    if (!method) return this.#complain("a method that this end does not have", message);
    const isLeftOut = params === undefined && method.params?.optional !== false;
    if (!isLeftOut && !this.#isSound(method, "params", params)) this.#complain("invalid params", message);
    if (name === "notifications/cancelled" && isObject(params) && isId(params.requestId))
      this.#waiting.delete(params.requestId);
    if (!isId(id)) return;
    if (this.asked.has(id)) this.#complain("an id twice", message);
    this.asked.set(id, method);
    this.#waiting.set(id, true);
  }

  #isSound(method: Method, part: "params" | "result", value: unknown): boolean {
    const { fuzz } = this.#hearing;
    if (!fuzz.isValid(method, part, value)) return false;
    return !this.#leeway.isExact || fuzz.findUnknown(method, part, value).length === 0;
  }

  #fits(message: Readonly<Record<string, unknown>>, { verdict, mayRepeat }: Due): boolean {
    const { result, error } = message;
    if (mayRepeat && isError(error) && error.code === -32600) return true;
    if (verdict.kind === "refusal") return result === undefined && isRefusal(error, verdict);
    if (result === undefined) return isError(error) && this.#leeway.codes.includes(error.code);
    const method = this.#hearing.fuzz.methods.find(({ name }) => name === verdict.method);
    return error === undefined && method !== undefined && this.#isSound(method, "result", result);
  }

  #complain(problem: string, value: unknown): void {
    this.problems.push(`${problem}: ${JSON.stringify(value)?.slice(0, 1_500)}`);
  }
}

type Answer = Extract<Verdict, { readonly kind: "refusal" | "call" }>;

/** An answer that must come. */
interface Due {
  readonly verdict: Answer;
  /** Ids of the same batch: nothing of it leaves before all of it is there. */
  readonly companions: readonly Id[];
  /** It need not come: it was cancelled, or is one of several that may. */
  isExcused: boolean;
  /** Its id is that of an earlier request that may still run. */
  readonly mayRepeat: boolean;
}

function isAnswer(verdict: Verdict): verdict is Answer {
  return verdict.kind === "refusal" || verdict.kind === "call";
}

function toId(verdict: Verdict): readonly Id[] {
  return verdict.kind === "call" ? [verdict.id] : [];
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

function isRefusal(error: unknown, { codes, params }: Extract<Verdict, { readonly kind: "refusal" }>): boolean {
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
