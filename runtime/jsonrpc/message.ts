import type { Check, Issue } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";

/** Identifies a request among those of one sender: `1` and `"1"` are different. */
export type RequestId = string | number;

/** Message that expects a response. */
export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: unknown;
}

/** Message that never gets a response. */
export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: unknown;
}

/** Response to a successful request. */
export interface ResultMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: unknown;
}

/** Response to a failed request; without id when the request's own could not be read. */
export interface ErrorMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly error: ErrorObject;
}

/** Error as it is sent. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Message of JSON-RPC: request, notification, result or error. */
export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage;

/** Unit of sending: a message, or a batch of messages. */
export type Outgoing = Message | readonly Message[];

/** Received value after its classification. */
export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId | undefined; readonly error: ErrorObject }
  /** Not a message. It gets an error response, unless it may be a response that has nothing but the id of a pending request. */
  | {
      readonly kind: "invalid";
      readonly id: RequestId | undefined;
      readonly reason: string;
      readonly mayRespond?: true;
    }
  /** Malformed response or notification: an error response to it would respond to a response, or settle a call of its sender. */
  | { readonly kind: "unusable"; readonly id: RequestId | undefined; readonly reason: string };

/**
 * Classifies a parsed value by its keys.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#messages
 */
export function classify(value: unknown): Incoming {
  if (!isObject(value)) return { kind: "invalid", id: undefined, reason: "A message must be a JSON object" };
  if (value.method !== undefined) return classifyCall(value);
  if (value.result !== undefined || value.error !== undefined) return classifyResponse(value);
  const reason = "A message requires a method, a result or an error";
  return { kind: "invalid", id: readId(value.id), reason, mayRespond: true };
}

/** Returns the id of the request to which a message responds, or seems to. */
export function responseIdOf(incoming: Incoming): RequestId | undefined {
  switch (incoming.kind) {
    case "request":
    case "notification":
      return undefined;
    case "invalid":
      return incoming.mayRespond ? incoming.id : undefined;
    default:
      return incoming.id;
  }
}

/** True if several messages are sent in one piece. */
export function isBatch(outgoing: Outgoing): outgoing is readonly Message[] {
  return Array.isArray(outgoing);
}

/** Maximum number of characters in a request id. Sessions remember used ids. */
const maxIdLength = 512;

/** True if a value is a string of limited length, or an integer that a double holds exactly. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" ? value.length <= maxIdLength : Number.isSafeInteger(value);
}

/**
 * Encodes a result as JSON text.
 *
 * @throws {TypeError} when the text would be no object: `toJSON` may turn an object into anything, or nothing
 */
export function toResultText(result: unknown): string {
  const text: unknown = result instanceof StaticResult ? result.json : JSON.stringify(result);
  if (typeof text === "string" && text.startsWith("{")) return text;
  throw new TypeError("The result is not a JSON object");
}

/** Result that never changes. It is checked once and encoded once, however often it is sent. */
export class StaticResult {
  readonly value: unknown;
  #json: string | undefined;
  #passed: Check | undefined;

  constructor(value: unknown) {
    this.value = value;
  }

  /** Checks the value, unless the same check has passed before. */
  check(check: Check): Issue | undefined {
    if (this.#passed === check) return undefined;
    const issue = check(this.value);
    if (!issue) this.#passed = check;
    return issue;
  }

  /** Makes `JSON.stringify` encode the value instead of this wrapper. */
  toJSON(): unknown {
    return this.value;
  }

  /** Value as JSON text, encoded at the first use. */
  get json(): string {
    this.#json ??= JSON.stringify(this.value);
    return this.#json;
  }
}

function classifyCall(value: Record<string, unknown>): Incoming {
  const { id, method, params } = value;
  const reason = findCallProblem(value);
  if (typeof method !== "string") return { kind: "invalid", id: readId(id), reason: "The method must be a string" };
  if (id === undefined) {
    return reason === undefined ? { kind: "notification", method, params } : { kind: "unusable", id, reason };
  }
  if (!isRequestId(id)) return { kind: "invalid", id: undefined, reason: describeIdProblem(id) };
  return reason === undefined ? { kind: "request", id, method, params } : { kind: "invalid", id, reason };
}

function describeIdProblem(id: unknown): string {
  if (typeof id !== "string") return "The id must be a string or a safe integer";
  return `The id exceeds ${maxIdLength} characters; send a shorter one`;
}

function findCallProblem(value: Record<string, unknown>): string | undefined {
  if (value.jsonrpc !== "2.0") return 'The member jsonrpc must be "2.0"';
  if (value.result !== undefined || value.error !== undefined)
    return "A request or notification must not have a result or an error";
  return undefined;
}

function classifyResponse(value: Record<string, unknown>): Incoming {
  const { result, error } = value;
  const id = readId(value.id);
  if (value.jsonrpc !== "2.0") return { kind: "unusable", id, reason: 'The member jsonrpc must be "2.0"' };
  if (error === undefined) {
    if (id === undefined) return { kind: "unusable", id, reason: "A response requires the id of its request" };
    if (!isObject(result)) return { kind: "unusable", id, reason: "The result must be an object" };
    return { kind: "result", id, result };
  }
  if (result !== undefined)
    return { kind: "unusable", id, reason: "A response must not have both a result and an error" };
  if (!isErrorObject(error)) {
    return { kind: "unusable", id, reason: "An error requires an integer code and a message" };
  }
  return { kind: "error", id, error };
}

function readId(value: unknown): RequestId | undefined {
  return isRequestId(value) ? value : undefined;
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === "string";
}
