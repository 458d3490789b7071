import type { Method } from "../../generator/model.ts";
import { isObject, type Role } from "../../generated/support.ts";
import { mutate } from "../oracle/mutations.ts";
import { createRandom, isHit, pick, type Random } from "../kit/random.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Step } from "./steps.ts";

/** State of the other peer when it sends a message. */
export interface Outlook {
  readonly fuzz: FuzzRevision;
  /** Role of the other peer. */
  readonly role: Role;
  /** Requests to it that have no response yet. */
  readonly pending: ReadonlyMap<string | number, Method>;
  /** Ids that it has used. */
  readonly used: readonly (string | number)[];
  /** Things that exist at the other end: names and URIs. */
  readonly things: readonly string[];
}

/** Longest message that the ends under test take, in bytes. */
export const maxMessageBytes = 32 * 1024;

/** The bytes of a step, one line and its end. */
export function toLine(step: Step, outlook: Outlook): Uint8Array {
  switch (step.kind) {
    case "bytes":
      return Uint8Array.from([...step.bytes.filter((byte) => byte !== lineFeed), lineFeed]);
    case "value":
      return encodeLine(JSON.stringify(step.value));
    case "made":
      return encodeLine(makeText(outlook, createRandom(step.seed)));
    default:
      return step satisfies never;
  }
}

const lineFeed = 0x0a;
const encoder = new TextEncoder();

/** Text as one line. */
export function encodeLine(text: string): Uint8Array {
  return encoder.encode(`${text.replaceAll("\n", " ")}\n`);
}

/** Mostly one message; sometimes a batch, or text that is damaged. */
function makeText(outlook: Outlook, random: Random): string {
  const message = makeMessage(outlook, random);
  const kind = random();
  if (kind < 0.8) return JSON.stringify(message);
  if (kind < 0.88) return JSON.stringify(makeBatch(outlook, random));
  if (kind < 0.94) return damage(JSON.stringify(message), random);
  return pick(oddities, random)(message);
}

type Make = (outlook: Outlook, random: Random) => unknown;

const kinds: readonly (readonly [share: number, make: Make])[] = [
  [0.34, (outlook, random) => makeCall("request", outlook, random)],
  [0.18, (outlook, random) => mutate(makeCall("request", outlook, random), random).value],
  [0.1, (outlook, random) => makeCall("notification", outlook, random)],
  [0.06, (outlook, random) => mutate(makeCall("notification", outlook, random), random).value],
  [0.06, makeCancellation],
  [0.1, makeResponse],
  [0.06, (outlook, random) => mutate(makeResponse(outlook, random), random).value],
  [0.05, makeStranger],
  [0.05, (outlook, random) => makeCall("request", { ...outlook, role: otherRole(outlook.role) }, random)],
];

function makeMessage(outlook: Outlook, random: Random): unknown {
  let rest = random();
  for (const [share, make] of kinds) {
    if (rest < share) return make(outlook, random);
    rest -= share;
  }
  return makeCall("request", outlook, random);
}

function makeCall(kind: "request" | "notification", { fuzz, role, used, things }: Outlook, random: Random): unknown {
  const own = fuzz.sentBy(role, kind);
  // Servers send no requests at stateless revisions.
  const method = pick(own.length > 0 ? own : fuzz.sentBy(otherRole(role), kind), random);
  const made = fuzz.make(method, "params", random);
  const params = isHit(0.6, random) ? aim(made, things, random) : made;
  const isLeftOut = params === undefined || (method.params?.optional === true && isHit(0.2, random));
  return {
    jsonrpc: "2.0",
    ...(kind === "request" && { id: makeId(used, random) }),
    method: method.name,
    ...(!isLeftOut && { params }),
  };
}

/** Lets the params name something that exists: otherwise hardly any call would get further than its name. */
function aim(params: unknown, things: readonly string[], random: Random): unknown {
  if (!isObject(params) || things.length === 0) return params;
  const aimed = ["name", "uri"].filter((key) => typeof params[key] === "string");
  const entries = aimed.map((key): [string, unknown] => [key, pick(things, random)]);
  return Object.fromEntries([...Object.entries(params), ...entries]);
}

function makeId(used: readonly (string | number)[], random: Random): string | number {
  if (used.length > 0 && isHit(0.05, random)) return pick(used, random);
  const fresh = 100 + Math.floor(random() * 1e9);
  return isHit(0.3, random) ? `id ${fresh}` : fresh;
}

function makeCancellation({ used }: Outlook, random: Random): unknown {
  const requestId = used.length > 0 ? pick(used.slice(-20), random) : 1;
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}

function makeResponse({ fuzz, pending }: Outlook, random: Random): unknown {
  if (pending.size === 0 || isHit(0.1, random))
    return { jsonrpc: "2.0", id: pick([0, -1, 1e9, "1"], random), result: {} };
  const [id, method] = pick([...pending], random);
  if (isHit(0.2, random)) return { jsonrpc: "2.0", id, error: { code: -1, message: "no", data: makeId([], random) } };
  return { jsonrpc: "2.0", id, result: fuzz.make(method, "result", random) ?? {} };
}

/** Method that does not exist. */
function makeStranger(_outlook: Outlook, random: Random): unknown {
  const method = pick(
    ["", "constructor", "__proto__", "toString", "tools/Call", "rpc.discover", "notifications/"],
    random,
  );
  return { jsonrpc: "2.0", ...(isHit(0.7, random) && { id: makeId([], random) }), method, params: {} };
}

function makeBatch(outlook: Outlook, random: Random): unknown[] {
  const size = pick([0, 1, 2, 3, 5, isHit(0.1, random) ? 101 : 4], random);
  return Array.from({ length: size }, () => makeMessage(outlook, random));
}

/** One character gone, changed or added, or everything after it gone. */
function damage(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const character = pick(['"', "{", "]", ",", ":", "\\", "0", "\u0000", "é", "\ud800"], random);
  const damaged = pick(
    [
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + character + text.slice(at + 1),
      text.slice(0, at) + character + text.slice(at),
      text.slice(0, at),
    ],
    random,
  );
  return damaged;
}

const oddities: readonly ((message: unknown) => string)[] = [
  () => "",
  () => " \t ",
  (message) => `\ufeff ${JSON.stringify(message)}\t\r`,
  (message) => `${JSON.stringify(message)}${JSON.stringify(message)}`,
  (message) => JSON.stringify({ ...Object(message), filler: "x".repeat(maxMessageBytes) }),
  (message) => JSON.stringify({ ...Object(message), deep: nest(80) }),
  (message) => repeat(message, "id"),
  (message) => repeat(message, "method"),
  (message) => repeat(message, "params"),
];

function nest(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 0);
}

/** The same member twice. */
function repeat(message: unknown, member: string): string {
  return JSON.stringify(message).replace(
    /\}$/,
    `,${JSON.stringify(member)}:1,"\\u00${member.charCodeAt(0).toString(16)}${member.slice(1)}":1}`,
  );
}

function otherRole(role: Role): Role {
  return role === "client" ? "server" : "client";
}
