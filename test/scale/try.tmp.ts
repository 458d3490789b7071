import { startCluster } from "./cluster/cluster.ts";
import { HistoryLog } from "./history.ts";
import { createRandom } from "../oracle/random.ts";
import { workloads } from "./workloads/index.ts";
import { writeFileSync } from "node:fs";
const cluster = await startCluster({ nodes: 1 });
const names = process.argv.slice(2);
try {
  for (const name of names.length ? names : Object.keys(workloads)) {
    const log = new HistoryLog();
    const at = Date.now();
    await workloads[name]!({ url: cluster.url, log, random: createRandom(1) });
    console.log(name, Date.now() - at, log.lines.length);
    if (names.length) for (const l of log.lines) console.log(JSON.stringify(l).slice(0, 300));
  }
  console.log(cluster.readErrors());
  writeFileSync("/tmp/h-effects.jsonl", (await cluster.readEffects()).map((e) => JSON.stringify(e)).join("\n"));
} finally {
  await cluster.close();
}
