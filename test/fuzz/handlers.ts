import type { Method } from "../../generator/model.ts";
import type { Handlers, RequestHandler } from "../../runtime/protocol/peer/routes.ts";
import { RpcError } from "../../runtime/jsonrpc/errors.ts";
import { StaticResult } from "../../runtime/jsonrpc/message.ts";
import { mutate } from "../oracle/mutations.ts";
import { isHit, pick, type Random } from "../kit/random.ts";
import type { Role } from "../../generated/support.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Id } from "./expected-outcome.ts";

/** Stands in everything that must stay on this side. */
export const secret = "hunter2";

/** The code that handlers choose themselves. */
export const ownCode = 4242;

/** Values that handlers use to misbehave. */
export interface Stage {
  /** The revision that handlers are written for. */
  readonly written: FuzzRevision;
  /** The revision of the session. */
  readonly spoken: FuzzRevision;
  /** Role of the peer that they serve. */
  readonly role: Role;
  readonly random: Random;
  /** Ids of calls that wait to be cancelled. */
  readonly hanging: Set<Id>;
  /** Ids of those that were. */
  readonly stopped: Set<Id>;
}

/** Handlers of every method: they respond, fail, send requests, hang, or return garbage at random. */
export function createHandlers(stage: Stage): Handlers {
  const sender = stage.role === "server" ? "client" : "server";
  const requests = stage.written
    .sentBy(sender, "request")
    .map((method): [string, RequestHandler] => [method.handler, (_params, context) => act(method, stage, context)]);
  const notifications = stage.written
    .sentBy(sender, "notification")
    .map(({ handler }): [string, () => unknown] => [
      handler,
      () => (isHit(0.2, stage.random) ? fail(stage.random) : undefined),
    ]);
  return new Map<string, unknown>([...requests, ...notifications]);
}

type Context = Parameters<RequestHandler>[1];
type Act = (method: Method, stage: Stage, context: Context) => unknown;

function act(method: Method, stage: Stage, context: Context): unknown {
  return pick(acts, stage.random)(method, stage, context);
}

const respond: Act = (method, { written, random }) => written.make(method, "result", random) ?? {};

const acts: readonly Act[] = [
  respond,
  respond,
  respond,
  async (...call) => respond(...call),
  async (...call) => {
    await new Promise((resolve) => setImmediate(resolve));
    return respond(...call);
  },
  (...call) => new StaticResult(respond(...call)),
  (...call) => mutate(respond(...call), call[1].random).value,
  async (...call) => mutate(respond(...call), call[1].random).value,
  (_method, { random }) => pick(garbage, random)(),
  async (_method, { random }) => pick(garbage, random)(),
  (_method, { random }) => fail(random),
  async (_method, { random }) => fail(random),
  sendRequest,
  async (...call) => {
    const [, { random }, context] = call;
    await context.progress({ progress: random(), message: "on the way" });
    await context.progress({ progress: 2, ...(isHit(0.5, random) && { total: pick([2, NaN, Infinity], random) }) });
    return respond(...call);
  },
  (_method, { hanging, stopped }, { requestId, signal }) =>
    new Promise((_resolve, reject) => {
      hanging.add(requestId);
      signal.addEventListener("abort", () => {
        hanging.delete(requestId);
        stopped.add(requestId);
        reject(new RpcError(ownCode, "Too late"));
      });
    }),
];

/** Sends a request to the other peer, and responds after it has ended in any way. */
async function sendRequest(...call: Parameters<Act>): Promise<unknown> {
  const [, { spoken, written, role, random }, context] = call;
  const method = pick(spoken.sentBy(role, "request"), random);
  const { clientRequests, serverRequests } = context.revision;
  const row = (role === "server" ? serverRequests : clientRequests)[method.name];
  const params = written.make(written.methods.find(({ name }) => name === method.name) ?? method, "params", random);
  if (row) await context.request(row, isHit(0.2, random) ? mutate(params, random).value : params).catch(() => {});
  return respond(...call);
}

function fail(random: Random): never {
  throw pick(failures, random)();
}

const failures: readonly (() => unknown)[] = [
  () => new Error(`password=${secret}`),
  () => new RpcError(ownCode, "Not today", { cause: new Error(secret) }),
  () => new RpcError(ownCode, "Not today", { data: { reason: "rain" } }),
  () => new RpcError(ownCode, "Not today", { data: 1n }),
  () => new RpcError(1.5, secret),
  () => new RpcError(NaN, secret),
  () => Object.assign(new Error(secret), { name: "RpcError", code: ownCode, message: { [secret]: 1 } }),
  () => Object.assign(new Error(secret), { name: "RpcError", code: ownCode, message: undefined }),
  () => Object.assign(new Error(secret), { name: "PeerError", code: ownCode }),
  () => secret,
  () => undefined,
  () => null,
  () => createTrap(),
  () => Object.defineProperty(new Error(secret), "name", { get: trap }),
  () => Object.defineProperty(new RpcError(ownCode, "Not today"), "data", { get: trap }),
];

const garbage: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 7,
  () => secret,
  () => [],
  () => 1n,
  () => Symbol(secret),
  () => createCycle(),
  () => ({ content: [], big: 1n }),
  () => ({ content: [], toJSON: () => undefined }),
  () => ({ content: [], toJSON: () => 7 }),
  () => ({ content: [], toJSON: trap }),
  () => ({ contents: [], _meta: new Map([[1, 2]]) }),
  () => Object.defineProperty({}, "content", { get: trap, enumerable: true }),
  () => createTrap(),
  () => ({ then: trap }),
  () => ({ then: 7, content: [] }),
  () => ({ content: nest(200) }),
  () => ({ content: [], deep: nest(50_000) }),
];

function trap(): never {
  throw new Error(secret);
}

/** Value of which every operation throws. */
function createTrap(): object {
  return new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
}

function createCycle(): object {
  const cycle: Record<string, unknown> = { content: [] };
  cycle["self"] = cycle;
  return cycle;
}

function nest(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 0);
}
