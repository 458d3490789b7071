import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { setup as build } from "../build.ts";
import { loadTables } from "../../cli/commands/load-tables.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { compare, readPages } from "./compare.ts";
import { converse } from "./conversation.ts";
import { decide, pin } from "./decide.ts";
import { defineDrilled } from "./definition.ts";
import { before, drawRevision } from "./draw.ts";
import { pinTwice } from "./extension.ts";
import { serveNewest, serveOldest } from "./gateway.ts";
import { converseOverHttp } from "./http.ts";
import { connectInProcess, receiveNotification } from "./memory.ts";
import { callOlderServers } from "./older-servers.ts";
import { drillProject } from "./project.ts";
import { StepRunner, toTable } from "./step.ts";
import { checkTables } from "./tables.ts";

/*
 * `npm run drill`: the day a revision appears. A seed draws a fictional revision, which is pinned, decided about, generated and spoken beside all
 * others. `-- --seed N` repeats a run, `-- --seeds A-B --until diff` runs many of them without projects.
 */

const options = yargs(hideBin(process.argv))
  .usage("npm run drill -- [options]")
  .option("seed", { type: "number", describe: "Seed of the fictional revision; default: drawn from the time" })
  .option("seeds", { type: "string", describe: "First and last seed, as in 1-50", conflicts: "seed" })
  .option("until", {
    choices: ["diff"] as const,
    describe: "Last step. Without it, a project is made and served as well",
  })
  .check(({ seed, seeds }) => {
    if (seed !== undefined && !Number.isInteger(seed)) throw new Error("--seed is not an integer; give one such as 7");
    if (seeds !== undefined && !/^\d+-\d+$/.test(seeds)) throw new Error("--seeds is no range; give one such as 1-50");
    return true;
  })
  .version(false)
  .strictOptions()
  .parseSync();

function readSeeds(): readonly number[] {
  const { seed, seeds } = options;
  if (seeds === undefined) return [seed ?? Date.now() % 2 ** 31];
  const [first = 0, last = 0] = seeds.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const schema = await readFile(join(packageRoot, "spec", before, "schema.ts"), "utf8");

/** Runs every step of one seed. Returns true if each has passed. */
async function drill(seed: number, root: string): Promise<boolean> {
  const drawn = drawRevision(seed, schema);
  const [spec, from] = [join(root, "spec"), join(root, "schema.ts")];
  await writeFile(from, drawn.schema);
  const steps = new StepRunner();
  await steps.run("pin", (step) => pin(step, drawn, { spec, from }));
  await steps.run("overlay", (step) => decide(step, drawn, { spec, from }));
  const revisions = await steps.run("generate", async () => (await loadTables(spec)).revisions);
  for (const revision of revisions ?? [])
    await steps.run(`conversation at ${revision.id}`, async (step) => {
      const server = defineDrilled(drawn, revisions ?? []);
      checkTables({ step, drawn, revision });
      await converse({ step, drawn, revision, connect: connectInProcess(server) });
      await receiveNotification({ step, drawn, revision }, server);
    });
  if (revisions) {
    const stateless = revisions.filter(({ lifecycle }) => lifecycle === "per-request");
    await steps.run("HTTP", (step) =>
      converseOverHttp({ step, drawn, server: defineDrilled(drawn, revisions), revisions: stateless }),
    );
    await steps.run("servers of older revisions", (step) => callOlderServers(step, drawn, revisions));
    await steps.run("gateway before the oldest", (step) => serveOldest(step, drawn, revisions));
    await steps.run("gateway before the newest", (step) => serveNewest(step, drawn, revisions));
  }
  if (revisions) await steps.run("an extension and its second version", (step) => pinTwice(step, { spec, root }));
  await steps.run("diff", (step) => compare(step, drawn, spec));
  await steps.run("pages and losses", (step) => readPages(step, drawn, spec));
  if (revisions && options.until === undefined) await drillProject(steps, { drawn, root, revisions });
  console.log(`seed ${seed}: ${describe(drawn)}`);
  console.log(toTable(steps.results));
  return steps.results.every(({ problems }) => problems.length === 0);
}

function describe(drawn: ReturnType<typeof drawRevision>): string {
  const { method, inputRequest, notification, optional, required, enumValue, logLevel, content, errorCode } = drawn;
  return [
    `${method.method} (${method.header}, ${drawn.helper})`,
    inputRequest.method,
    notification.method,
    ...optional.map(({ type, member }) => `${type}.${member}?`),
    `${required.type}.${required.member}${required.isKnown ? " required" : ""}`,
    `no ${drawn.removedType}`,
    `no ${drawn.removedMember.type}.${drawn.removedMember.member}`,
    `${enumValue.from} is ${enumValue.to}`,
    `${logLevel.from} is ${logLevel.to}`,
    `${content.type}${drawn.isSampled ? ", also of models" : ""}`,
    `${errorCode.name} ${errorCode.to}`,
    `${drawn.newError.name} ${drawn.newError.status}`,
    `@${drawn.tag}`,
  ].join(", ");
}

// Projects are made by the command line as it was built.
if (options.until === undefined) build();
const failed: number[] = [];
for (const seed of readSeeds()) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "drill-")));
  try {
    if (!(await drill(seed, root))) failed.push(seed);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
for (const seed of failed) console.log(`failed: npm run drill -- --seed ${seed}`);
if (failed.length === 0) console.log("passed");
process.exitCode = failed.length === 0 ? 0 : 1;
