import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** State of a process after a forced collection. Memory is in bytes. */
export interface Measurement {
  readonly heap: number;
  /** Memory outside of the heap that objects hold, such as buffers. */
  readonly external: number;
  readonly resident: number;
  readonly descriptors: number;
}

/** Collects the garbage of this process and measures it. Needs Linux. */
export async function measureProcess(): Promise<Measurement> {
  const collect = readCollector();
  // Finalizers run between two collections, and release more.
  for (let round = 0; round < 3; round += 1) {
    collect();
    await sleep(50);
  }
  const { heapUsed: heap, external, rss: resident } = process.memoryUsage();
  return { heap, external, resident, descriptors: readdirSync("/proc/self/fd").length };
}

function readCollector(): () => void {
  if (typeof globalThis.gc === "function") return globalThis.gc;
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
