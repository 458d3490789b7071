import { setImmediate as turn } from "node:timers/promises";
import { isObject } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import type { Outgoing } from "../../../runtime/jsonrpc/message.ts";
import { mutate } from "../../oracle/mutations.ts";
import { isHit, pick, type Random } from "../../kit/random.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { FuzzWire } from "../fuzz-wire.ts";
import { toLine } from "../lines.ts";
import type { FuzzRevision } from "../revision.ts";

/** Server behind a gateway that sends invalid responses. */
export interface HostileServer {
  /** Opens connections to it. */
  readonly open: ConnectionFactory;
  /** Messages that it has written. */
  readonly written: number;
  /** Number of arrivals of each marked tool call. */
  readonly calls: ReadonlyMap<number, number>;
}

export interface HostileOptions {
  readonly fuzz: FuzzRevision;
  readonly random: Random;
  /** True if requests are stateless. */
  readonly isStateless: boolean;
}

/** Name of the tool that always gets a valid response. */
export const honestTool = "honest";

/** Creates a server that opens valid sessions and responds to the honest tool, and to other requests at random. */
export function createHostileServer(options: HostileOptions): HostileServer {
  const state = { written: 0, calls: new Map<number, number>() };
  return {
    open: (opening) => connect(new HostileWire(options, state), opening),
    get written() {
      return state.written;
    },
    calls: state.calls,
  };
}

interface HostileState {
  written: number;
  readonly calls: Map<number, number>;
}

interface ReceivedRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Connection to the server. It responds to each message of the gateway in the next turn of the event loop. */
class HostileWire extends FuzzWire {
  readonly #options: HostileOptions;
  readonly #state: HostileState;
  readonly #pending = new Map<string | number, FuzzRevision["methods"][number]>();

  constructor(options: HostileOptions, state: HostileState) {
    super();
    this.#options = options;
    this.#state = state;
  }

  override send(message: Outgoing): void {
    super.send(message);
    const sent = this.sent.splice(0);
    this.related.length = 0;
    for (const value of sent.flat()) {
      if (!isObject(value) || typeof value.method !== "string") continue;
      if (typeof value.id !== "string" && typeof value.id !== "number") continue;
      const request = { id: value.id, method: value.method, params: isObject(value.params) ? value.params : {} };
      void turn().then(() => this.#respond(request));
    }
  }

  #respond(request: ReceivedRequest): void {
    if (this.isClosed) return;
    const { fuzz, random } = this.#options;
    this.#count(request);
    const result = this.#respondCorrectly(request);
    if (result) return this.#write({ jsonrpc: "2.0", id: request.id, ...result });
    const method = fuzz.methods.find(({ name }) => name === request.method);
    if (method) this.#pending.set(request.id, method);
    if (isHit(0.3, random)) this.#disturb();
    for (const message of this.#respondByChance(request)) this.#write(message);
  }

  #count({ method, params }: ReceivedRequest): void {
    const mark = isObject(params.arguments) ? params.arguments.mark : undefined;
    if (method !== "tools/call" || typeof mark !== "number") return;
    this.#state.calls.set(mark, (this.#state.calls.get(mark) ?? 0) + 1);
  }

  #respondCorrectly({ method, params }: ReceivedRequest): object | undefined {
    const { isStateless } = this.#options;
    const info = { name: "hostile", version: "1" };
    const more = isStateless ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    if (method === "server/discover" && isStateless)
      return {
        result: {
          ...more,
          supportedVersions: [statelessRevision.id],
          capabilities,
          _meta: { [meta.serverInfo]: info },
        },
      };
    if (method === "initialize" && !isStateless)
      return { result: { protocolVersion: this.#options.fuzz.revision.id, capabilities, serverInfo: info } };
    if (method === "server/discover" || method === "initialize")
      return { error: { code: -32601, message: "Method not found" } };
    // The gateway requests the list itself, and waits half a minute for it.
    if (method === "tools/list") return { result: this.#makeList({ ...more, tools: [] }) };
    if (method !== "tools/call" || params.name !== honestTool) return undefined;
    return { result: { ...(isStateless && { resultType: "complete" }), content: [] } };
  }

  #makeList(list: object): unknown {
    const { random, fuzz } = this.#options;
    const method = fuzz.methods.find(({ name }) => name === "tools/list");
    if (isHit(0.5, random)) return list;
    const made = method && fuzz.make(method, "result", random);
    const found = { ...(isObject(made) ? made : {}), ...list };
    return isHit(0.5, random) ? found : mutate(found, random).value;
  }

  /** A message without a request. */
  #disturb(): void {
    const { fuzz, random } = this.#options;
    const step = { kind: "made", seed: Math.floor(random() * 2 ** 31) } as const;
    this.#state.written += 1;
    this.write(toLine(step, { fuzz, role: "server", pending: this.#pending, used: [], things: [] }));
  }

  #respondByChance({ id, method }: ReceivedRequest): readonly object[] {
    const { fuzz, random, isStateless } = this.#options;
    const known = fuzz.methods.find(({ name }) => name === method);
    const made = known && fuzz.make(known, "result", random);
    const result = { ...(isStateless && { resultType: "complete" }), ...(isObject(made) ? made : {}) };
    const envelope = { jsonrpc: "2.0", id };
    const kind = random();
    if (kind < 0.4) return [{ ...envelope, result }];
    if (kind < 0.55) return [{ ...envelope, result: mutate(result, random).value }];
    if (kind < 0.7) return [{ ...envelope, result: { ...result, ...pick(oddMembers, random) } }];
    if (kind < 0.8) return [{ ...envelope, error: { code: pick([-1, -32602, -32603, 404], random), message: "no" } }];
    if (kind < 0.87)
      return [
        { ...envelope, result },
        { ...envelope, result },
      ];
    if (kind < 0.92) return [{ ...envelope, id: pick([0, -1, "x", 1e9], random), result }];
    if (kind < 0.96) return [mutate({ ...envelope, result }, random)];
    return [];
  }

  #write(message: object): void {
    this.#state.written += 1;
    this.post(message);
  }
}

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

const oddMembers: readonly object[] = [
  { resultType: "input_required", requestState: "s" },
  { resultType: "input_required", inputRequests: { a: { method: "roots/list" } }, requestState: "s" },
  { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: { message: 1 } } } },
  { resultType: "task", task: { taskId: "t", status: "working" } },
  { resultType: "nonsense" },
  { resultType: 7, ttlMs: -1, cacheScope: [] },
  { content: "none", tools: {}, nextCursor: 5, _meta: 1 },
];
