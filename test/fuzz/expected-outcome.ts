import { isObject, type Role } from "../../generated/support.ts";
import { maxMessageBytes } from "./lines.ts";
import type { FuzzRevision } from "./revision.ts";
import { parseJson } from "./parse-json.ts";

/** Outcome that the rules require of one message. It does not depend on the runtime. */
export type ExpectedOutcome =
  | { readonly kind: "nothing" }
  /** Error with one of these codes. With `params`, its data names a path in them. */
  | {
      readonly kind: "rejection";
      readonly codes: readonly number[];
      readonly id: Id | undefined;
      readonly params?: unknown;
    }
  /** Result, or an error of the handler. */
  | { readonly kind: "call"; readonly id: Id; readonly method: string }
  | { readonly kind: "cancellation"; readonly id: Id }
  /** End of the request of the tested peer with this id; `stray` follows if there is none. */
  | { readonly kind: "response"; readonly id: Id; readonly stray: ExpectedOutcome }
  | { readonly kind: "batch"; readonly members: readonly ExpectedOutcome[] }
  /** One of these, or nothing: broken text that is also too deep may be rejected for either reason, with an id that can be read or none. */
  | { readonly kind: "either"; readonly outcomes: readonly ExpectedOutcome[] };

export type Id = string | number;

/** Peer that receives the message. */
export interface Receiver {
  readonly fuzz: FuzzRevision;
  /** Role of the receiver. */
  readonly role: Role;
  /** Capabilities that each peer has declared. */
  readonly declared: { readonly [end in Role]: unknown };
  /** True over HTTP, where a session rejects another `initialize` before its params are checked. */
  readonly isHttp?: boolean;
  /** True if it ignores requests, because its peer may send none. It still rejects what is not a request. */
  readonly isSilent?: boolean;
  /** Returns the outcome of a request that other rules apply to, such as one without the metadata of its revision. */
  readonly expectRequest?: (request: ReceivedRequest) => ExpectedOutcome | undefined;
}

/** Request whose envelope is valid. */
export interface ReceivedRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
}

/** Returns the expected outcome of a line without its line break. */
export function expectLine(line: Uint8Array, receiver: Receiver): ExpectedOutcome {
  if (line.length > maxMessageBytes) return expectLong(line, receiver);
  const text = decode(line);
  if (text === undefined) return reject([-32700], undefined, receiver);
  const json = text.replace(/^\ufeff/, "").replace(/\r$/, "");
  if (json === "") return nothing;
  const value = parseJson(json);
  if (value === undefined) return expectBroken(json, receiver);
  if (depthOf(value) > 64 || findRepeated(json).length > 0) return expectUnfit(value, findRepeated(json), receiver);
  if (Array.isArray(value)) return expectBatch(value, receiver);
  const outcome = expectMessage(value, receiver, false);
  return receiver.isSilent && isOfRequest(outcome) ? nothing : outcome;
}

function isOfRequest(outcome: ExpectedOutcome): boolean {
  return outcome.kind === "call" || (outcome.kind === "rejection" && !outcome.codes.includes(-32600));
}

const nothing: ExpectedOutcome = { kind: "nothing" };

/** Outcome of a line that is too long: a rejection with the id of the request if its first level can be read, and without an id otherwise. */
function expectLong(line: Uint8Array, receiver: Receiver): ExpectedOutcome {
  const text = decode(line) ?? "";
  const value = parseJson(text);
  if (value === undefined) return expectBroken(text, receiver, [-32600]);
  if (!isObject(value) || lengthOfEnvelope(value) >= 8 * 1024) return reject([-32600], undefined, receiver);
  return expectUnfit(value, findRepeated(text), receiver);
}

function lengthOfEnvelope(message: Readonly<Record<string, unknown>>): number {
  const outline = (key: string, value: unknown): unknown => (key !== "" && typeof value === "object" ? {} : value);
  return new TextEncoder().encode(JSON.stringify(message, outline)).length;
}

function expectBroken(text: string, receiver: Receiver, codes: readonly number[] = [-32700]): ExpectedOutcome {
  if (!isTangled(text)) return reject(codes, undefined, receiver);
  const ids = [undefined, ...[...text.matchAll(/"id":(\d+|"[^"\\]*")/g)].map((match) => parseJson(match[1] ?? ""))];
  return { kind: "either", outcomes: ids.map((id) => reject([-32700, -32600], id, receiver)) };
}

/** Outcome of a message that is too deep or repeats a member: a rejection with the id of a request if it has one id; other messages are dropped. */
function expectUnfit(value: unknown, repeated: readonly string[], receiver: Receiver): ExpectedOutcome {
  if (repeated.includes("id") || !isObject(value)) return reject([-32600], undefined, receiver);
  const outcome = expectMessage(value, receiver, false);
  if (outcome.kind === "call") return reject([-32600], outcome.id, receiver);
  if (outcome.kind === "response") return outcome;
  return outcome.kind === "rejection" ? { ...outcome, codes: [-32600], params: undefined } : nothing;
}

function expectBatch(values: readonly unknown[], receiver: Receiver): ExpectedOutcome {
  const isFit = receiver.fuzz.revision.batching && values.length > 0 && values.length <= 100;
  const members = values.flatMap((value) => expectMember(value, receiver));
  if (isFit) return { kind: "batch", members };
  const responses = members.filter(isResponse).map((response): ExpectedOutcome => ({ ...response, stray: nothing }));
  return { kind: "batch", members: [...responses, reject([-32600], undefined, receiver)] };
}

function expectMember(value: unknown, receiver: Receiver): readonly ExpectedOutcome[] {
  const outcome = expectMessage(value, receiver, true);
  const isBare = outcome.kind === "response" && isObject(value) && !("result" in value) && !("error" in value);
  // The response to the POST names what is wrong with the member, and its request has ended all the same.
  return receiver.isHttp && isBare ? [outcome, reject([-32600], undefined, receiver)] : [outcome];
}

function isResponse(outcome: ExpectedOutcome): outcome is Extract<ExpectedOutcome, { readonly kind: "response" }> {
  return outcome.kind === "response";
}

function expectMessage(value: unknown, receiver: Receiver, isBatched: boolean): ExpectedOutcome {
  if (!isObject(value)) return reject([-32600], undefined, receiver);
  const { jsonrpc, id, method } = value;
  const hasOutcome = "result" in value || "error" in value;
  if (!("method" in value)) {
    const stray = hasOutcome ? nothing : reject([-32600], id, receiver);
    // Over HTTP, the response to a POST must not have an id that may be that of another call.
    return isId(id) ? { kind: "response", id, stray: receiver.isHttp ? nothing : stray } : stray;
  }
  if (typeof method !== "string") return reject([-32600], id, receiver);
  const isWhole = jsonrpc === "2.0" && !hasOutcome;
  if (!("id" in value)) return isWhole ? expectNotification(method, value.params, receiver) : nothing;
  if (!isId(id) || !isWhole) return reject([-32600], id, receiver);
  return expectRequest({ id, method, params: value.params }, receiver, isBatched);
}

function expectRequest(request: ReceivedRequest, receiver: Receiver, isBatched: boolean): ExpectedOutcome {
  const { id, method, params } = request;
  const special = receiver.expectRequest?.(request);
  if (special) return special;
  const { fuzz, role, declared, isHttp = false } = receiver;
  const sender = role === "server" ? "client" : "server";
  if (isHttp && method === "initialize") return reject([-32600], id, receiver);
  if (isBatched && fuzz.revision.neverBatched.includes(method)) return reject([-32600], id, receiver);
  const found = fuzz.sentBy(sender, "request").find(({ name }) => name === method);
  const gate = found?.gates[sender];
  if (!found || (gate && !isDeclared(declared[gate.side], gate.path))) return reject([-32601], id, receiver);
  const isLeftOut = params === undefined && found.params?.optional !== false;
  if (!isLeftOut && !fuzz.isValid(found, "params", withoutNullCursor(params)))
    return reject([-32602], id, receiver, params);
  return method === "initialize" ? reject([-32600], id, receiver) : { kind: "call", id, method };
}

/** Removes a cursor that is `null`: it counts as none, although no schema permits it. */
function withoutNullCursor(params: unknown): unknown {
  if (!isObject(params) || params.cursor !== null) return params;
  const { cursor: _cursor, ...rest } = params;
  return rest;
}

function expectNotification(method: string, params: unknown, { fuzz, role }: Receiver): ExpectedOutcome {
  const sender = role === "server" ? "client" : "server";
  const found = fuzz.sentBy(sender, "notification").find(({ name }) => name === method);
  if (method !== "notifications/cancelled" || !found || !isObject(params)) return nothing;
  const { requestId: id } = params;
  return isId(id) && fuzz.isValid(found, "params", params) ? { kind: "cancellation", id } : nothing;
}

/** Returns a rejection. A client sends none without an id: the server may have printed the text by mistake. */
function reject(codes: readonly number[], id: unknown, { role }: Receiver, params?: unknown): ExpectedOutcome {
  if (isId(id)) return { kind: "rejection", codes, id, params };
  return role === "client" ? nothing : { kind: "rejection", codes, id: undefined };
}

function isDeclared(capabilities: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return capabilities === true || isObject(capabilities);
  return isObject(capabilities) && isDeclared(capabilities[key], rest);
}

/** True if a value may be the id of a request. */
export function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Broken JSON may be too deep, or hold a member twice, before it breaks. */
function isTangled(text: string): boolean {
  const openers = text.match(/[[{]/g) ?? [];
  return (
    openers.length > 64 || members.some((member) => text.split(`"${member}"`).length > 2) || text.includes("\\u00")
  );
}

const members = ["jsonrpc", "id", "method", "params", "result", "error"];

/** Returns the members of the envelope that appear twice, also with escaped characters. */
function findRepeated(text: string): readonly string[] {
  const found = text.match(/(?<=,)"[^"]*":1,"\\u00[^"]*"(?=:1\}\s*$)/)?.[0];
  const member = found === undefined ? undefined : members.find((name) => found.startsWith(`"${name}"`));
  return member === undefined ? [] : [member];
}

function depthOf(value: unknown): number {
  const parts: unknown[] = typeof value === "object" && value !== null ? Object.values(value) : [];
  const inner = parts.reduce<number>((deepest, part) => Math.max(deepest, depthOf(part)), 0);
  return typeof value === "object" && value !== null ? 1 + inner : 0;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(line: Uint8Array): string | undefined {
  try {
    return utf8.decode(line);
  } catch {
    return undefined;
  }
}
