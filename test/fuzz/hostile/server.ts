import fc from "fast-check";
import type { Method } from "../../../generator/model.ts";
import { isObject } from "../../../generated/support.ts";
import { createRandom, isHit, type Random } from "../../kit/random.ts";
import { toLine } from "../lines.ts";
import type { FuzzRevision } from "../revision.ts";
import { step, type Step } from "../steps.ts";
import { serverCapabilities } from "../subjects.ts";

type Id = string | number;

/** A message of the client as the hostile server reads it. */
export interface Received {
  readonly id: Id | undefined;
  readonly method: string | undefined;
  /** Name of the tool that it calls. */
  readonly tool: string | undefined;
}

/** State and messages of a hostile server, independent of its transport. */
export class HostileServer {
  readonly random: Random;
  /** Number of calls of each tool, by name. A transport that rejects a message afterwards takes its calls back. */
  readonly calls = new Map<string, number>();
  /** Messages that were made. */
  said = 0;
  /** Called when the server becomes calm, to end open streams. */
  readonly onCalm = new Set<() => void>();
  #isCalm = false;
  readonly #fuzz: FuzzRevision;
  readonly #steps: readonly Step[];
  readonly #pending = new Map<Id, Method>();
  readonly #used: Id[] = [];

  constructor(fuzz: FuzzRevision, seed: number) {
    this.#fuzz = fuzz;
    this.random = createRandom(seed);
    this.#steps = fc.sample(step, { seed, numRuns: 64 });
  }

  /** Responds to every request with an error, and sends nothing else. */
  get isCalm(): boolean {
    return this.#isCalm;
  }

  calm(): void {
    this.#isCalm = true;
    for (const end of this.onCalm) end();
  }

  /** Ids of the requests that have been heard, the latest ones. */
  get pending(): readonly Id[] {
    return [...this.#pending.keys()];
  }

  /** Reads a message or a batch of the client. */
  receive(text: string): readonly Received[] {
    const value: unknown = JSON.parse(text);
    const received = (Array.isArray(value) ? value : [value]).map(readMessage);
    for (const one of received) this.#note(one);
    return received;
  }

  /** Forgets messages that were rejected before any work on them. */
  takeBack(received: readonly Received[]): void {
    for (const { tool } of received) if (tool !== undefined) this.#count(tool, -1);
  }

  /** One hostile message, without the end of its line. */
  say(): string {
    this.said += 1;
    const pending = this.#pending;
    const outlook = { fuzz: this.#fuzz, role: "server", pending, used: this.#used, things: [] } as const;
    return new TextDecoder().decode(toLine(this.#nextStep(), outlook)).slice(0, -1);
  }

  sayMany(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.say());
  }

  /** Returns the error response that ends any request. */
  reject(id: Id): string {
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "Enough" } });
  }

  /** Returns the response to `initialize`, valid for most clients. */
  open(id: Id): string | undefined {
    if (isHit(0.1, this.random)) return undefined;
    const serverInfo = { name: "hostile", version: "1" };
    const result = { protocolVersion: this.#fuzz.revision.id, capabilities: serverCapabilities, serverInfo };
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  }

  #count(tool: string, step: 1 | -1): void {
    this.calls.set(tool, (this.calls.get(tool) ?? 0) + step);
  }

  #note({ id, method, tool }: Received): void {
    if (tool !== undefined) this.#count(tool, 1);
    if (id === undefined) return;
    const known = this.#fuzz.methods.find((one) => one.name === method && one.kind === "request");
    if (known) this.#pending.set(id, known);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > maxPending && oldest !== undefined) this.#pending.delete(oldest);
  }

  /** Mostly a new message: only a new one can respond to a pending request. */
  #nextStep(): Step {
    if (isHit(0.8, this.random)) return { kind: "made", seed: Math.floor(this.random() * 2 ** 31) };
    return this.#steps[Math.floor(this.random() * this.#steps.length)] ?? { kind: "value", value: null };
  }
}

const maxPending = 200;

function readMessage(value: unknown): Received {
  if (!isObject(value)) return { id: undefined, method: undefined, tool: undefined };
  const { id, method, params } = value;
  const isCall = method === "tools/call" && isObject(params) && typeof params.name === "string";
  return {
    id: typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : undefined,
    method: typeof method === "string" ? method : undefined,
    tool: isCall ? String(params.name) : undefined,
  };
}
