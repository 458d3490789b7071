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
   * Bytes that V8 takes for compiled code and what it knows about it, such as its lists of code that depends on the shape of an object. They grow for an
   * hour as rarer functions become worth compiling, without any object that stays.
   */
  readonly code: number;
  /** Bytes of everything else by kind, such as `object Object in Map.table`: a type of V8 and a name, and what refers to it. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Layout of a heap snapshot: flat lists of numbers, of which each node and each reference takes as many as it has fields. */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
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
  const heap: HeapSnapshot = JSON.parse(await text(getHeapSnapshot()));
  const { nodes, strings } = heap;
  const { node_fields: fields, node_types: types } = heap.snapshot.meta;
  const [typeAt, nameAt, sizeAt] = [fields.indexOf("type"), fields.indexOf("name"), fields.indexOf("self_size")];
  const references = findReferences(heap);
  const sizes = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + typeAt] ?? -1] ?? "";
    const kind = named.has(type) ? `${type} ${strings[nodes[at + nameAt] ?? -1]} in ${references.get(at)}` : type;
    sizes.set(kind, (sizes.get(kind) ?? 0) + (nodes[at + sizeAt] ?? 0));
  }
  const isCode = (kind: string): boolean => kind === "code" || kind.endsWith(".dependent_code");
  const code = [...sizes].reduce((sum, [kind, size]) => (isCode(kind) ? sum + size : sum), 0);
  return { code, kinds: Object.fromEntries([...sizes].filter(([kind, size]) => !isCode(kind) && size >= smallest)) };
}

/** Returns the first reference to each node, such as `Map.table`, by the position of the node. Weak references and elements have no name. */
function findReferences({ snapshot, nodes, edges, strings }: HeapSnapshot): ReadonlyMap<number, string> {
  const { node_fields: fields, edge_fields: edgeFields, edge_types: types } = snapshot.meta;
  const [nameAt, countAt] = [fields.indexOf("name"), fields.indexOf("edge_count")];
  const [typeAt, keyAt] = [edgeFields.indexOf("type"), edgeFields.indexOf("name_or_index")];
  const toAt = edgeFields.indexOf("to_node");
  const found = new Map<number, string>();
  let edge = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const owner = String(strings[nodes[at + nameAt] ?? -1]).slice(0, 40);
    const end = edge + (nodes[at + countAt] ?? 0) * edgeFields.length;
    for (; edge < end; edge += edgeFields.length) {
      const type = types[0][edges[edge + typeAt] ?? -1] ?? "";
      const to = edges[edge + toAt] ?? -1;
      if (type === "weak" || found.has(to)) continue;
      found.set(to, numbered.has(type) ? `${owner}[]` : `${owner}.${strings[edges[edge + keyAt] ?? -1]}`);
    }
  }
  return found;
}

/** Types of nodes whose names say what they are. The names of others are their contents. */
const named: ReadonlySet<string> = new Set(["object", "closure", "native", "hidden", "array", "object shape"]);

/** Types of references that have a number instead of a name. */
const numbered: ReadonlySet<string> = new Set(["element", "hidden"]);

/** Bytes of the smallest kind that is listed. */
const smallest = 2_048;

function readCollector(): () => void {
  if (typeof globalThis.gc === "function") return globalThis.gc;
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
