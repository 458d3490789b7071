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
