import { runStages } from "./run-stages.ts";
import { groups } from "./stages.ts";

/* `.ci/run [stage …]`: runs all stages, or those that are named. */

const wanted = process.argv.slice(2);
const names = groups.flat().map(({ name }) => name);
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`The stage "${unknown}" is unknown; give one of:\n${names.join("\n")}`);
  process.exit(2);
}
const chosen = groups.map((stages) => stages.filter(({ name }) => wanted.length === 0 || wanted.includes(name)));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
if (!(await runStages(chosen, (text) => console.log(text)))) process.exitCode = 1;
