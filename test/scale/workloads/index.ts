import { ask, both, cancel, count, end, level, twice } from "./calls.ts";
import { listen, subscribe } from "./notifications.ts";
import { stranger } from "./strangers.ts";
import { task } from "./tasks.ts";
import type { Workload } from "./workload.ts";

/** All workloads by name. */
export const workloads: Readonly<Record<string, Workload>> = {
  count,
  ask,
  both,
  cancel,
  end,
  twice,
  level,
  listen,
  subscribe,
  stranger,
  task,
};

/** Workloads of what nodes do not share yet. They run when they are named. */
const unfinished: readonly string[] = ["level", "listen", "subscribe", "task"];

/** Returns the names of workloads: those of the list, or `all`. Default: those of what is built. */
export function selectWorkloads(list: string | undefined): readonly string[] {
  const known = Object.keys(workloads);
  if (list === undefined) return known.filter((name) => !unfinished.includes(name));
  if (list === "all") return known;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new Error(`The workload ${unknown.join(", ")} is unknown; use all, or some of ${known.join(", ")}`);
}
