import { isObject, type Role } from "../../generated/support.ts";
import { maxMessageBytes } from "./lines.ts";
import type { FuzzRevision } from "./revision.ts";

/** What must follow from one message. Written from the rules, not from the runtime. */
export type Verdict =
  | { readonly kind: "nothing" }
  /** An error with one of these codes; `params` when it must say where in them. */
  | {
      readonly kind: "refusal";
      readonly codes: readonly number[];
      readonly id: Id | undefined;
      readonly params?: unknown;
    }
  /** A result, or what the handler makes of it. */
  | { readonly kind: "call"; readonly id: Id; readonly method: string }
  | { readonly kind: "cancellation"; readonly id: Id }
  /** It ends the call of the end under test that waits under this id; where none waits, `stray` follows. */
  | { readonly kind: "response"; readonly id: Id; readonly stray: Verdict }
  | { readonly kind: "batch"; readonly members: readonly Verdict[] }
  /** One of these, or nothing: broken text that is also too deep may be refused for either, under an id that can be read or none. */
  | { readonly kind: "either"; readonly verdicts: readonly Verdict[] };

export type Id = string | number;

/** Where the message arrives. */
export interface Hearing {
  readonly fuzz: FuzzRevision;
  /** Who receives it. */
  readonly role: Role;
  /** What each end has declared. */
  readonly declared: { readonly [end in Role]: unknown };
  /** Over HTTP a session refuses another `initialize` before anybody looks at its params. */
  readonly isHttp?: boolean;
}

/** Judges one line, without its end. */
export function judgeLine(line: Uint8Array, hearing: Hearing): Verdict {
  if (line.length > maxMessageBytes) return judgeLong(line, hearing);
  const text = decode(line);
  if (text === undefined) return refuse([-32700], undefined, hearing);
  const json = text.replace(/^\ufeff/, "").replace(/\r$/, "");
  if (json === "") return nothing;
  const value = parse(json);
  if (value === undefined) return judgeBroken(json, hearing);
  if (depthOf(value) > 64 || findRepeated(json).length > 0) return judgeUnfit(value, findRepeated(json), hearing);
  return Array.isArray(value) ? judgeBatch(value, hearing) : judgeMessage(value, hearing, false);
}

const nothing: Verdict = { kind: "nothing" };

/** Too long: a request is refused under its id if its first level is short enough to be read, without one otherwise. */
function judgeLong(line: Uint8Array, hearing: Hearing): Verdict {
  const text = decode(line) ?? "";
  const value = parse(text);
  if (value === undefined) return judgeBroken(text, hearing, [-32600]);
  if (!isObject(value) || lengthOfEnvelope(value) >= 8 * 1024) return refuse([-32600], undefined, hearing);
  return judgeUnfit(value, findRepeated(text), hearing);
}

function lengthOfEnvelope(message: Readonly<Record<string, unknown>>): number {
  const outline = (key: string, value: unknown): unknown => (key !== "" && typeof value === "object" ? {} : value);
  return new TextEncoder().encode(JSON.stringify(message, outline)).length;
}

function judgeBroken(text: string, hearing: Hearing, codes: readonly number[] = [-32700]): Verdict {
  if (!isTangled(text)) return refuse(codes, undefined, hearing);
  const ids = [undefined, ...[...text.matchAll(/"id":(\d+|"[^"\\]*")/g)].map((match) => parse(match[1] ?? ""))];
  return { kind: "either", verdicts: ids.map((id) => refuse([-32700, -32600], id, hearing)) };
}

/** Too deep, or with a member twice: a request is refused under its id if there is only one, everything else is dropped. */
function judgeUnfit(value: unknown, repeated: readonly string[], hearing: Hearing): Verdict {
  if (repeated.includes("id") || !isObject(value)) return refuse([-32600], undefined, hearing);
  const verdict = judgeMessage(value, hearing, false);
  if (verdict.kind === "call") return refuse([-32600], verdict.id, hearing);
  if (verdict.kind === "response") return verdict;
  return verdict.kind === "refusal" ? { ...verdict, codes: [-32600], params: undefined } : nothing;
}

function judgeBatch(values: readonly unknown[], hearing: Hearing): Verdict {
  const isFit = hearing.fuzz.revision.batching && values.length > 0 && values.length <= 100;
  const members = values.map((value) => judgeMessage(value, hearing, true));
  if (isFit) return { kind: "batch", members };
  const responses = members.filter(isResponse).map((response): Verdict => ({ ...response, stray: nothing }));
  return { kind: "batch", members: [...responses, refuse([-32600], undefined, hearing)] };
}

function isResponse(verdict: Verdict): verdict is Extract<Verdict, { readonly kind: "response" }> {
  return verdict.kind === "response";
}

function judgeMessage(value: unknown, hearing: Hearing, isBatched: boolean): Verdict {
  if (!isObject(value)) return refuse([-32600], undefined, hearing);
  const { jsonrpc, id, method } = value;
  const isAnswer = "result" in value || "error" in value;
  if (!("method" in value)) {
    const stray = isAnswer ? nothing : refuse([-32600], id, hearing);
    return isId(id) ? { kind: "response", id, stray } : stray;
  }
  if (typeof method !== "string") return refuse([-32600], id, hearing);
  const isWhole = jsonrpc === "2.0" && !isAnswer;
  if (!("id" in value)) return isWhole ? judgeNotification(method, value.params, hearing) : nothing;
  if (!isId(id) || !isWhole) return refuse([-32600], id, hearing);
  return judgeRequest({ id, method, params: value.params }, hearing, isBatched);
}

interface Request {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
}

function judgeRequest({ id, method, params }: Request, hearing: Hearing, isBatched: boolean): Verdict {
  const { fuzz, role, declared, isHttp = false } = hearing;
  const sender = role === "server" ? "client" : "server";
  if (isHttp && method === "initialize") return refuse([-32600], id, hearing);
  if (isBatched && fuzz.revision.neverBatched.includes(method)) return refuse([-32600], id, hearing);
  const found = fuzz.sentBy(sender, "request").find(({ name }) => name === method);
  const gate = found?.gates[sender];
  if (!found || (gate && !isDeclared(declared[gate.side], gate.path))) return refuse([-32601], id, hearing);
  const isLeftOut = params === undefined && found.params?.optional !== false;
  if (!isLeftOut && !fuzz.isValid(found, "params", withoutNullCursor(params)))
    return refuse([-32602], id, hearing, params);
  return method === "initialize" ? refuse([-32600], id, hearing) : { kind: "call", id, method };
}

/** A cursor that is `null` counts as none, which no schema says. */
function withoutNullCursor(params: unknown): unknown {
  if (!isObject(params) || params.cursor !== null) return params;
  const { cursor: _cursor, ...rest } = params;
  return rest;
}

function judgeNotification(method: string, params: unknown, { fuzz, role }: Hearing): Verdict {
  const sender = role === "server" ? "client" : "server";
  const found = fuzz.sentBy(sender, "notification").find(({ name }) => name === method);
  if (method !== "notifications/cancelled" || !found || !isObject(params)) return nothing;
  const { requestId: id } = params;
  return isId(id) && fuzz.isValid(found, "params", params) ? { kind: "cancellation", id } : nothing;
}

/** A client never answers what it cannot attribute: a server may print such things by mistake. */
function refuse(codes: readonly number[], id: unknown, { role }: Hearing, params?: unknown): Verdict {
  if (isId(id)) return { kind: "refusal", codes, id, params };
  return role === "client" ? nothing : { kind: "refusal", codes, id: undefined };
}

function isDeclared(capabilities: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return capabilities === true || isObject(capabilities);
  return isObject(capabilities) && isDeclared(capabilities[key], rest);
}

/** Whether a value may be the id of a request. */
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

/** Members of the envelope that appear twice, spelled in any way. */
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
