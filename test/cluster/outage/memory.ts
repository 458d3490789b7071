import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../processes/cluster.ts";

/** Resident memory of a process, in bytes. */
export async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Resident memory of all nodes, read again and again. */
export class MemoryWatch {
  readonly #cluster: Cluster;
  readonly #highest: number[] = [];
  #isOver = false;
  #ended: Promise<void> | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Returns the highest level of each node since the last call, in bytes. */
  takeHighest(): readonly number[] {
    return this.#highest.splice(0);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      for (let node = 0; node < this.#cluster.size; node += 1) {
        const bytes = await readMemory(this.#cluster.pid(node));
        this.#highest[node] = Math.max(this.#highest[node] ?? 0, bytes);
      }
      await sleep(100);
    }
  }
}
