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

/** Contents of a heap. */
export interface HeapContents {
  /**
   * Bytes that V8 takes for compiled code and what it knows about it. They grow for an hour as rarer functions become worth compiling, without any object
   * that stays.
   */
  readonly code: number;
  /** Bytes of everything else by kind, such as `object Map`: a type of V8, and the name of a class or of another thing that has one. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Layout of a heap snapshot: the nodes are a flat list of numbers, of which each node takes as many as it has fields. */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
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

/** Measures what the heap contains. It blocks the process for some seconds. */
export async function measureHeap(): Promise<HeapContents> {
  const { snapshot, nodes, strings }: HeapSnapshot = JSON.parse(await text(getHeapSnapshot()));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, nameAt, sizeAt] = [fields.indexOf("type"), fields.indexOf("name"), fields.indexOf("self_size")];
  const sizes = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + typeAt] ?? -1] ?? "";
    const kind = named.has(type) ? `${type} ${strings[nodes[at + nameAt] ?? -1]}` : type;
    sizes.set(kind, (sizes.get(kind) ?? 0) + (nodes[at + sizeAt] ?? 0));
  }
  const { code = 0, ...kinds } = Object.fromEntries([...sizes].filter(([, size]) => size >= smallest));
  return { code, kinds };
}

/** Types of nodes whose names say what they are. The names of others are their contents. */
const named: ReadonlySet<string> = new Set(["object", "closure", "native", "hidden", "array", "object shape"]);

/** Bytes of the smallest kind that is listed. */
const smallest = 4_096;

function readCollector(): () => void {
  if (typeof globalThis.gc === "function") return globalThis.gc;
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
