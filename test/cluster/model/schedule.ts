import fc, { type Scheduler } from "fast-check";
import { ModelClient } from "./client.ts";
import { History } from "./history.ts";
import type { Mutant } from "./mutants.ts";
import { Network } from "./network.ts";
import { ModelNode, type HandlerPlan } from "./node.ts";
import { ModelStore } from "./store.ts";
import type { World } from "./writer.ts";

/** Fault, or a message for a listening client, and the steps that pass before it. */
interface Act {
  readonly kind: "crash" | "expire" | "renew" | "cut" | "repeat" | "say";
  readonly target: number;
  readonly delay: number;
}

/** What happens in a run; the scheduler decides when. */
export interface Scenario {
  readonly plan: HandlerPlan;
  /** Nodes in the order in which the balancer chooses them. */
  readonly order: readonly number[];
  readonly acts: readonly Act[];
  /** Numbers of the calls of the store whose reply does not come in time. */
  readonly late: readonly number[];
}

const nodeCount = 3;

function createScenarios(kinds: readonly Act["kind"][], maxActs: number): fc.Arbitrary<Scenario> {
  const target = fc.nat({ max: nodeCount - 1 });
  const act = fc.record({ kind: fc.constantFrom(...kinds), target, delay: fc.nat({ max: 5 }) });
  return fc.record({
    plan: fc.record({ notifications: fc.nat({ max: 3 }), waits: fc.boolean() }),
    order: fc.array(target, { minLength: 2, maxLength: 6 }),
    acts: fc.array(act, { maxLength: maxActs, size: "max" }),
    late: fc.uniqueArray(fc.nat({ max: 24 }), { maxLength: 3 }),
  });
}

/** Runs of two clients with one request, as when a proxy sends it twice. */
export const callScenarios: fc.Arbitrary<Scenario> = createScenarios(["crash", "expire", "renew", "cut", "repeat"], 6);

/** Runs of a client that listens, while nodes that own its stream, or did, send on it. */
export const listenerScenarios: fc.Arbitrary<Scenario> = createScenarios(
  ["say", "say", "say", "crash", "expire", "cut", "repeat", "repeat"],
  10,
);

/** Nodes, the store, and the faults of one run. */
class Run {
  readonly network: Network;
  readonly store: ModelStore;
  readonly history: History;
  readonly world: World;
  readonly clients: ModelClient[] = [];
  readonly #nodes: ModelNode[] = [];
  readonly #gone: string[] = [];
  readonly #scenario: Scenario;
  #chosen = 0;
  #names = 0;

  constructor(scenario: Scenario, scheduler: Scheduler, mutant: Mutant | undefined) {
    this.#scenario = scenario;
    this.network = new Network(scheduler, scenario.late);
    const publish = (deliver: () => void): void => void this.network.step("news").then(deliver);
    this.store = new ModelStore({ mutant, publish, pause: () => this.network.step("store") });
    this.history = new History(this.store);
    this.world = { network: this.network, store: this.store, history: this.history, mutant };
    for (let index = 0; index < nodeCount; index += 1) this.#startNode(index);
  }

  addClient(name: string, request: string | undefined): void {
    const { network, history } = this;
    const chooseNode = (): ModelNode => this.#choose();
    const { mutant } = this.world;
    const { plan } = this.#scenario;
    this.clients.push(new ModelClient({ name, request, plan, network, history, mutant, chooseNode }));
  }

  /** Starts clients and faults, and lets time pass until every client has had its chance. */
  async finish(scheduler: Scheduler): Promise<readonly string[]> {
    for (const client of this.clients) void client.connect();
    void this.#act();
    await scheduler.waitIdle();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      for (const name of this.#gone) this.store.expire(name);
      for (const [index, node] of this.#nodes.entries()) if (!this.store.renew(node.name)) this.#restart(index);
      for (const node of this.#nodes) node.poll();
      await scheduler.waitIdle();
      for (const client of this.clients) client.retry();
      await scheduler.waitIdle();
    }
    return [...this.history.finish(this.clients), ...(this.network.isEndless ? ["E4: the run does not end"] : [])];
  }

  async #act(): Promise<void> {
    for (const { kind, target, delay } of this.#scenario.acts) {
      for (let step = 0; step <= delay; step += 1) await this.network.step(`${kind} ${target}`);
      const client = this.clients[target % this.clients.length];
      if (kind === "cut") client?.cut();
      else if (kind === "repeat") client?.repeat();
      else this.#strike(kind, target);
    }
  }

  #strike(kind: Exclude<Act["kind"], "cut" | "repeat">, target: number): void {
    const node = this.#at(target);
    if (kind === "crash") this.#restart(target);
    if (kind === "expire") this.store.expire(node.name);
    if (kind === "renew") void node.renew().then((isLeased) => isLeased || this.#restart(target));
    if (kind === "say") for (const stream of node.writers.keys()) void node.say(stream);
  }

  #restart(index: number): void {
    const node = this.#at(index);
    this.#startNode(index);
    this.#gone.push(node.name);
    node.stop();
  }

  #startNode(index: number): void {
    this.#nodes[index] = new ModelNode(this.world, `n${this.#names}`);
    this.#names += 1;
  }

  #choose(): ModelNode {
    const { order } = this.#scenario;
    this.#chosen += 1;
    return this.#at(order[this.#chosen % order.length] ?? 0);
  }

  #at(index: number): ModelNode {
    const node = this.#nodes[index];
    if (!node) throw new Error(`Node ${index} is missing`);
    return node;
  }
}

/** Runs one schedule with two clients that send the same request. Returns the rules that it breaks. */
export async function runCall(scenario: Scenario, scheduler: Scheduler, mutant?: Mutant): Promise<readonly string[]> {
  const run = new Run(scenario, scheduler, mutant);
  run.addClient("client", "r1");
  run.addClient("repetition", "r1");
  return run.finish(scheduler);
}

/** Runs one schedule with a client that listens. Returns the rules that it breaks. */
export async function runListener(
  scenario: Scenario,
  scheduler: Scheduler,
  mutant?: Mutant,
): Promise<readonly string[]> {
  const run = new Run(scenario, scheduler, mutant);
  run.addClient("listener", undefined);
  return run.finish(scheduler);
}
