import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { hasPassed, saveResult, type CampaignResult, type Part } from "./result.ts";

/*
 * `npm run campaign -- <part> [options]`: long runs that look for rare faults. Each saves its figures in `results/`, from which
 * `npm run docs:reliability` writes docs/reliability.md. A run with the same seed makes the same choices.
 */

/** Modules of the parts. Each is loaded when it runs. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  soak: () => import("./soak/soak.ts"),
  sessions: () => import("./sessions.ts"),
  cuts: () => import("./cuts/cuts.ts"),
  kill: () => import("./kill.ts"),
  "long-line": () => import("./long-line.ts"),
  "slow-reader": () => import("./slow-reader.ts"),
};

const options = yargs(hideBin(process.argv))
  .usage(`npm run campaign -- <part> [options]\n\nParts: ${Object.keys(parts).join(", ")}`)
  .option("seed", { type: "number", describe: "Seed of all random choices", default: Date.now() % 2 ** 31 })
  .option("short", { type: "boolean", describe: "Run for a few seconds, and save nothing", default: false })
  .option("count", { type: "number", describe: "Number of messages, sessions, cuts or kills; default: the part's" })
  .option("minutes", { type: "number", describe: "Duration of a soak; default: 60" })
  .option("transport", { type: "string", describe: "Transport: memory, stdio, http, websocket or tcp" })
  .check(({ _: words, seed, count, minutes }) => {
    checkPart(words);
    if (!Number.isInteger(seed)) throw new Error("--seed is not an integer; give the one that a run has printed");
    if (count !== undefined && (!Number.isInteger(count) || count < 1))
      throw new Error("--count is not a count; give 1 or more");
    if (minutes !== undefined && !(minutes > 0)) throw new Error("--minutes is not a duration; give more than 0");
    return true;
  })
  .version(false)
  .strictOptions()
  .parseSync();

function checkPart([name, ...others]: readonly (string | number)[]): void {
  const known = Object.keys(parts).join(", ");
  if (name === undefined) throw new Error(`The part is missing; give one of ${known}`);
  if (!Object.hasOwn(parts, name)) throw new Error(`The part "${name}" is unknown; give one of ${known}`);
  if (others.length > 0) throw new Error(`The parts are more than one; run "${others.join(" ")}" by itself`);
}

const { seed, count, minutes, transport, short: isShort } = options;
console.log(`seed ${seed}`);
const part = await parts[String(options._[0])]?.();
const result = await part?.run({
  seed,
  isShort,
  ...(count !== undefined && { count }),
  ...(minutes !== undefined && { minutes }),
  ...(transport !== undefined && { transport }),
});
if (result) await finish(result);

async function finish(result: CampaignResult): Promise<void> {
  for (const { name, value, unit, goal, isMet } of result.figures) {
    const mark = goal === undefined ? " " : isMet ? "+" : "-";
    console.log(`${mark} ${name}: ${value} ${unit}${goal === undefined ? "" : ` (${goal})`}`);
  }
  for (const violation of result.violations) console.log(`- ${violation}`);
  if (!isShort) console.log(`saved ${await saveResult(result)}`);
  console.log(hasPassed(result) ? "passed" : "failed");
  // Connections of a part that failed do not keep the process.
  process.exit(hasPassed(result) ? 0 : 1);
}
