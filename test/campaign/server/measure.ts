import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { getHeapSnapshot, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** State of a process after a forced collection. Memory is in bytes. */
export interface Measurement {
  readonly heap: number;
  /** Memory outside of the heap that objects hold, such as buffers. */
  readonly external: number;
  readonly resident: number;
  readonly descriptors: number;
}

/** Layout of a heap snapshot: the nodes are a flat list of numbers, of which each node takes as many as it has fields. */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  readonly nodes: readonly number[];
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

/**
 * Measures the part of the heap that V8 takes for compiled code and what it knows about it, in bytes. It grows for an hour as rarer functions become
 * worth compiling, without any object that stays.
 */
export async function measureCode(): Promise<number> {
  const { snapshot, nodes }: HeapSnapshot = JSON.parse(await text(getHeapSnapshot()));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt, code] = [fields.indexOf("type"), fields.indexOf("self_size"), types[0].indexOf("code")];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (nodes[at + typeAt] === code) bytes += nodes[at + sizeAt] ?? 0;
  return bytes;
}

function readCollector(): () => void {
  if (typeof globalThis.gc === "function") return globalThis.gc;
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
