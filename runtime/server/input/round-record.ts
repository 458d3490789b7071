import { isObject } from "../../../generated/support.ts";
import { isOutcome, type Outcome } from "./steps.ts";

/** What one round of a call leaves for the next: everything that its handler has to find again. */
export interface RoundRecord {
  /** What the handler asked, in the order of asking. */
  readonly questions: readonly Asked[];
  /** What the handler did only once, by key. */
  readonly steps: readonly (readonly [key: string, outcome: Outcome])[];
  /** How many messages and reports were sent. */
  readonly told: number;
  /** What the handler returned instead of its result, if it did. */
  readonly returned?: Returned;
  /** What it was answered earlier to what it had returned. */
  readonly input?: RoundInput;
}

/** A question, and its answer if there is one by now. */
export interface Asked {
  readonly key: string;
  /** Stands for everything that makes up the question. */
  readonly digest: string;
  readonly answer?: unknown;
}

/** Questions that a handler returned. */
export interface Returned {
  readonly requests: readonly ReturnedRequest[];
  readonly requestState?: string;
}

/** As much of a returned question as its answer is checked against. */
export interface ReturnedRequest {
  readonly key: string;
  readonly method: string;
  readonly params?: unknown;
}

/** What a handler that returned questions finds when it is called again. */
export interface RoundInput {
  readonly inputResponses: { readonly [key: string]: unknown };
  readonly requestState?: string;
}

/** Of the first round. */
export const emptyRecord: RoundRecord = { questions: [], steps: [], told: 0 };

/** A value as a record; nothing if it is none. */
export function readRecord(value: unknown): RoundRecord | undefined {
  if (!isObject(value)) return undefined;
  const { questions, steps, told, returned, input } = value;
  if (!isListOf(questions, isAsked) || !isListOf(steps, isStep) || typeof told !== "number") return undefined;
  if (returned !== undefined && !isReturned(returned)) return undefined;
  if (input !== undefined && !isInput(input)) return undefined;
  return { questions, steps, told, ...(returned && { returned }), ...(input && { input }) };
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isAsked(value: unknown): value is Asked {
  return isObject(value) && typeof value.key === "string" && typeof value.digest === "string";
}

function isStep(value: unknown): value is readonly [string, Outcome] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && isOutcome(value[1]);
}

function isReturned(value: unknown): value is Returned {
  return isObject(value) && isListOf(value.requests, isReturnedRequest) && isOptionalText(value.requestState);
}

function isReturnedRequest(value: unknown): value is ReturnedRequest {
  return isObject(value) && typeof value.key === "string" && typeof value.method === "string";
}

function isInput(value: unknown): value is RoundInput {
  return isObject(value) && isObject(value.inputResponses) && isOptionalText(value.requestState);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
