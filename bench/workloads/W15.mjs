// W15 TCP: a server with echo and add, one message a line over one connection, driven by a raw line driver.
import { connectLineServer, loadFigures } from "../lib/linedrive.mjs";
import { startTcp, stop } from "../lib/child.mjs";
import { guard } from "../lib/quiet.mjs";
import { fold, mapValues } from "../lib/stats.mjs";
import { table } from "../lib/report.mjs";

export const title = "TCP server";
export const applies = (a) => !!a.tcpServer;
const DEPTHS = [1, 16, 256];

async function measure(a, era, { ms, warming }) {
  const listening = await startTcp(a.id);
  try {
    const server = await connectLineServer(listening, era);
    await server.open();
    await server.warm(warming);
    const out = {};
    for (const depth of DEPTHS) out[depth] = await server.load(depth, ms);
    return out;
  } finally {
    await stop(listening.child);
  }
}

export async function run(list, { reps = 5, quick, log }) {
  const ms = quick ? 250 : 400;
  const warming = quick ? { calls: 5_000, ms: 1_000 } : { calls: 30_000, ms: 10_000 };
  // Requests of 2026-07-28 are larger: the floor reads the same ones.
  const runs = list.flatMap((a) => (a.id === "floor" ? ["legacy", "modern"].map((era) => [a, era]) : [[a, a.era]]));
  const out = {};
  for (let i = 0; i < (quick ? 1 : reps); i += 1)
    for (const [a, era = "legacy"] of runs) {
      const o = (out[`${a.id} ${era}`] ??= { reps: [] });
      if (o.error) continue;
      try {
        o.reps.push(await guard(() => measure(a, era, { ms, warming })));
      } catch (error) {
        o.error = error.message;
        log(`${a.id}: ${error.message}`);
      }
    }
  for (const o of Object.values(out)) if (o.reps.length > 0) Object.assign(o, fold(o.reps));
  return { result: out };
}

export const figures = ({ result }) =>
  ["legacy", "modern"].flatMap((era) => {
    const ofEra = Object.entries(result).filter(([key]) => key.endsWith(` ${era}`));
    const byContestant = Object.fromEntries(ofEra.map(([key, runs]) => [key.split(" ")[0], runs]));
    const select = (key) => mapValues(byContestant, ({ reps }) => reps.map(({ 256: load }) => load[key]));
    const [suffix, where] = era === "modern" ? ["-modern", "TCP, 2026-07-28"] : ["", "TCP"];
    return loadFigures({ id: `tcp${suffix}`, subject: `ours${suffix}`, where, select });
  });

export function render({ result }) {
  const rows = Object.entries(result).flatMap(([key, { median: m }]) =>
    m ? [[key, ...DEPTHS.map((depth) => m[depth].perSecond), m[256].cpuUs, m[1].p50, m[1].p99, m[256].bad]] : [],
  );
  return table(
    [
      "server",
      ...DEPTHS.map((depth) => `msg/s (${depth})`),
      "server CPU us/msg (256)",
      "p50 us (1)",
      "p99 us (1)",
      "wrong",
    ],
    rows,
  );
}
