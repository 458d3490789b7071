// W12 processes on one port: what a second process of node:cluster adds to a server without sessions. On a machine with few cores the driver takes a part
// of them, so that requests per second cannot show it. Processor time can: the busiest process limits what all of them serve.
import { fork } from "node:child_process";
import { lib, NODE, stop, track } from "../lib/child.mjs";
import { Conn, prepareCall } from "../lib/httpload.mjs";
import { guard } from "../lib/quiet.mjs";
import { table } from "../lib/report.mjs";
import { fold, mapValues } from "../lib/stats.mjs";

export const title = "processes on one port";
export const applies = (a) => !!a.httpServer && MODES.some((mode) => a.httpModes.includes(mode));

const MODES = ["stateless-json", "modern-json"];
const CONNECTIONS = 64;

/** Starts the processes, and resolves when all listen. */
function start(id, mode, count) {
  return new Promise((resolve, reject) => {
    const options = { execPath: NODE, stdio: ["ignore", "ignore", "inherit", "ipc"] };
    const child = track(fork(lib("processes.mjs"), [id, mode, String(count)], options));
    child.once("message", (m) => (m.port ? resolve({ child, ...m }) : reject(new Error(m.error))));
    child.once("exit", (code) => reject(new Error(`exit ${code}`)));
  });
}

function readUsage({ child }) {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.send("usage");
  });
}

/** Makes calls on all connections at once, each after the response to the one before, for a limited time. Returns their number. */
async function callAll(conns, bytes, { calls, ms }) {
  const end = performance.now() + ms;
  let made = 0;
  await Promise.all(
    conns.map(async (conn) => {
      while (made < calls && performance.now() < end) {
        made += 1;
        const { status, body } = await conn.send(bytes);
        if (status !== 200 || !body.includes("hello world")) throw new Error(`${status} ${body.slice(0, 300)}`);
      }
    }),
  );
  return made;
}

const cpuUs = ({ user, system }) => user + system;

/** One server with one number of processes: microseconds of each process, and of the one that distributes connections. */
async function one(a, mode, processes, { warm, measured }) {
  const server = await start(a.id, mode, processes);
  try {
    const bytes = prepareCall({
      port: server.port,
      path: server.path,
      era: mode.startsWith("modern") ? "2026" : "2025",
    });
    const conns = Array.from({ length: CONNECTIONS }, () => new Conn(server.port));
    await Promise.all(conns.map((conn) => conn.ready()));
    await callAll(conns, bytes, { ...warm, calls: warm.calls * processes });
    const before = await readUsage(server);
    const began = performance.now();
    const calls = await callAll(conns, bytes, measured);
    const seconds = (performance.now() - began) / 1e3;
    const after = await readUsage(server);
    for (const conn of conns) conn.close();
    const spent = after.done.map((usage, i) => cpuUs(usage) - cpuUs(before.done[i]));
    const served = after.done.map(({ requests }, i) => requests - before.done[i].requests);
    return {
      perSecond: calls / seconds,
      /** Processor time of all processes for a request. */
      cpuUs: spent.reduce((sum, us) => sum + us, 0) / calls,
      /** Requests for each second of processor time of the busiest process. */
      capacity: (calls * 1e6) / Math.max(...spent),
      largestShare: Math.max(...served) / calls,
      primaryUs: (cpuUs(after.own) - cpuUs(before.own)) / calls,
    };
  } finally {
    await stop(server.child);
  }
}

export async function run(list, { reps = 3, quick, modes, log }) {
  const size = quick
    ? { warm: { calls: 4_000, ms: 2_000 }, measured: { calls: 8_000, ms: 2_000 } }
    : { warm: { calls: 20_000, ms: 5_000 }, measured: { calls: 40_000, ms: 10_000 } };
  const wanted = modes ? String(modes).split(",") : MODES;
  const out = {};
  for (let i = 0; i < (quick ? 1 : reps); i += 1)
    for (const mode of wanted)
      for (const a of list.filter((one) => one.httpModes.includes(mode))) {
        const o = ((out[mode] ??= {})[a.id] ??= { reps: [] });
        if (o.error) continue;
        try {
          o.reps.push(
            await guard(
              async () => {
                const single = await one(a, mode, 1, size);
                const two = await one(a, mode, 2, size);
                return { single, two, gain: two.capacity / single.capacity, speedup: two.perSecond / single.perSecond };
              },
              { retries: 0 },
            ),
          );
        } catch (error) {
          o.error = error.message;
          log(`${a.id} ${mode}: ${error.message}`);
        }
      }
  for (const o of Object.values(out).flatMap(Object.values)) if (o.reps.length > 0) Object.assign(o, fold(o.reps));
  return { result: out };
}

const names = { "stateless-json": "2025-11-25 without sessions", "modern-json": "2026-07-28" };

export const figures = ({ result }) =>
  Object.keys(result).flatMap((mode) => {
    const subject = mode.startsWith("modern") ? "ours-modern" : "ours";
    const select = (read) => mapValues(result[mode], ({ reps }) => reps.map(read));
    return [
      {
        id: `processes-${mode}`,
        subject,
        title: `Requests that two processes serve, of one: by the processor time of the busier process, ${names[mode]}`,
        unit: "×",
        better: "higher",
        values: select(({ gain }) => gain),
      },
      {
        id: `processes-${mode}-share`,
        subject,
        title: `Share of the requests that the busier process of two serves, ${names[mode]}`,
        unit: "%",
        better: "lower",
        isSteady: true,
        values: select(({ two }) => 100 * two.largestShare),
      },
    ];
  });

export function render({ result }, list) {
  return Object.entries(result)
    .map(([mode, byId]) => {
      const rows = list.flatMap((a) => {
        const m = byId[a.id]?.median;
        if (!m) return [];
        const { single, two, gain, speedup } = m;
        return [
          [
            a.label,
            single.cpuUs,
            two.cpuUs,
            100 * two.largestShare,
            two.primaryUs,
            gain,
            single.perSecond,
            two.perSecond,
            speedup,
          ],
        ];
      });
      const header = [
        ...["server", "CPU us/req, one", "CPU us/req, two", "busier process, %", "CPU us/req of the first process"],
        ...["two of one, by CPU", "req/s, one", "req/s, two", "two of one, req/s"],
      ];
      return `### ${mode}\n\n${table(header, rows)}`;
    })
    .join("\n\n");
}
