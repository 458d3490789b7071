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

/** Returns the names of workloads: those of the list. Default: all. */
export function selectWorkloads(list: string | undefined): readonly string[] {
  const known = Object.keys(workloads);
  if (list === undefined) return known;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new Error(`The workload ${unknown.join(", ")} is unknown; use some of ${known.join(", ")}`);
}
