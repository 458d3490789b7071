// node short.mjs: the short form for CI. Fails when the ratio of this project to a peer or a floor is 30 % below the one in short.json; 10 % for types.
// node short.mjs --write: measures longer, and writes short.json. Both need the build of the repository, and no packages of this folder.
import { readFileSync, writeFileSync } from "node:fs";
import { stayOnOneCore } from "./lib/one-core.mjs";
import { fmt, table } from "./lib/report.mjs";
import { median } from "./lib/stats.mjs";
import { commandChecks } from "./workloads/short-commands.mjs";
import { httpCost, memoryCost, stdioCost, typesCost } from "./workloads/short.mjs";

const file = new URL("short.json", import.meta.url);
const isWriting = process.argv.includes("--write");
/** Share of the committed ratio that has to be reached, unless a check has its own. */
const defaultShare = 0.7;
const maxRounds = 5;
const maxSeconds = 60;

const http = (mode) => (adapter) => httpCost(adapter, mode);
const checks = [
  { id: "in memory, of SDK v1", own: "ours", other: "sdk1", cost: memoryCost },
  { id: "stdio, of the floor", own: "ours", other: "floor", cost: stdioCost },
  { id: "HTTP with sessions, of the floor", own: "ours", other: "floor", cost: http("stateful-json") },
  { id: "HTTP at 2026-07-28, of the floor", own: "ours-modern", other: "floor", cost: http("modern-json") },
  { id: "types, 1000 instantiations, of the schemas alone", own: "ours", other: "zod4", cost: typesCost, share: 0.9 },
  ...commandChecks,
].map((check) => ({ share: defaultShare, ...check, rounds: [] }));

const adapter = async (id) => (await import(`./contestants/${id}.mjs`)).default;

/** Measures both sides, one right after the other. */
async function measure({ own, other, cost, rounds }) {
  rounds.push({ own: await cost(await adapter(own)), other: await cost(await adapter(other)) });
}

/** How many times as much the other side needs: by the median of the rounds, or by the best costs, which noise cannot lower. */
function ratioOf({ rounds }) {
  const best = (side) => Math.min(...rounds.map((round) => round[side]));
  return Math.max(median(rounds.map(({ own, other }) => other / own)), best("other") / best("own"));
}

stayOnOneCore();
await (await adapter("ours")).prepareStdio();

if (isWriting) {
  for (let round = 0; round < maxRounds; round++) for (const check of checks) await measure(check);
  const ratios = checks.map(({ id, rounds }) => [
    id,
    Number(median(rounds.map(({ own, other }) => other / own)).toFixed(2)),
  ]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ratios), undefined, 2)}\n`);
}

const committed = JSON.parse(readFileSync(file, "utf8"));
const isReached = (check) => check.rounds.length > 0 && ratioOf(check) >= check.share * committed[check.id];
for (let round = 0; round < maxRounds && performance.now() < maxSeconds * 1e3; round++) {
  for (const check of checks.filter((one) => !isReached(one))) await measure(check);
}

const cost = (check, side) => fmt(median(check.rounds.map((round) => round[side])));
console.log(
  table(
    ["CPU us of a call or command, or as named", "own", "other", "ratio", "committed", "least", "rounds", "verdict"],
    checks.map((check) => [
      check.id,
      cost(check, "own"),
      cost(check, "other"),
      fmt(ratioOf(check)),
      fmt(committed[check.id]),
      fmt(check.share * committed[check.id]),
      check.rounds.length,
      isReached(check) ? "reached" : "below",
    ]),
  ),
);
const below = checks.filter((check) => !isReached(check));
console.log(`${checks.length - below.length} passed, ${below.length} failed, ${fmt(performance.now() / 1e3)} s`);
process.exit(below.length === 0 ? 0 : 1);
