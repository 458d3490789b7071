// Two virtual cores often are one real core: the processor time of a server then depends on what its client does meanwhile, by a third.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Keeps this process, and the children that it starts, on one core, where the system can. */
export function stayOnOneCore() {
  if (process.platform !== "linux") return;
  const [, core = "0"] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const { status } = spawnSync("taskset", ["-acp", core, String(process.pid)], { stdio: "ignore" });
  if (status !== 0) console.error("taskset is not available; the ratios of processor time vary more");
}
