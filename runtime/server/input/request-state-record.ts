import { isObject } from "../../../generated/support.ts";
import { isOutcome, type Outcome } from "./steps.ts";

/** State left by one round of a call for the next: everything its handler needs again. */
export interface InputRecord {
  /** Input requests of the handler, in the order in which it sent them. */
  readonly questions: readonly RecordedInputRequest[];
  /** Outcomes of the steps of `once`, by key. */
  readonly steps: readonly (readonly [key: string, outcome: Outcome])[];
  /** Number of notifications sent: log messages and progress reports. */
  readonly told: number;
  /** Input requests returned by the handler instead of its result, if any. */
  readonly returned?: Returned;
  /** Earlier responses to input requests returned by the handler. */
  readonly input?: ClientInput;
}

/** Input request with its response, if there is one. */
export interface RecordedInputRequest {
  readonly key: string;
  /** Hash of the key, the method and the params of the input request. */
  readonly digest: string;
  readonly answer?: unknown;
}

/** Input requests returned by a handler. */
export interface Returned {
  readonly requests: readonly ReturnedRequest[];
  readonly requestState?: string;
}

/** Part of a returned input request against which its response is checked. */
export interface ReturnedRequest {
  readonly key: string;
  readonly method: string;
  readonly params?: unknown;
}

/** Input for the next call of a handler after it returned input requests. */
export interface ClientInput {
  readonly inputResponses: { readonly [key: string]: unknown };
  readonly requestState?: string;
}

/** Record from which the first round of a call starts. */
export const emptyRecord: InputRecord = { questions: [], steps: [], told: 0 };

/** Returns a value as a record, or `undefined` if it is not one. */
export function readRecord(value: unknown): InputRecord | undefined {
  if (!isObject(value)) return undefined;
  const { questions, steps, told, returned, input } = value;
  if (!isListOf(questions, isRecordedInputRequest) || !isListOf(steps, isStep) || typeof told !== "number")
    return undefined;
  if (returned !== undefined && !isReturned(returned)) return undefined;
  if (input !== undefined && !isInput(input)) return undefined;
  return { questions, steps, told, ...(returned && { returned }), ...(input && { input }) };
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isRecordedInputRequest(value: unknown): value is RecordedInputRequest {
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

function isInput(value: unknown): value is ClientInput {
  return isObject(value) && isObject(value.inputResponses) && isOptionalText(value.requestState);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
