// W13 many clients: sessions and open streams that one process holds, their memory, and calls meanwhile.
import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, descriptorsOf, lib, NODE, rssMiB, startHttp, stop, track } from "../lib/child.mjs";
import { guard } from "../lib/quiet.mjs";
import { table } from "../lib/report.mjs";
import { mapValues } from "../lib/stats.mjs";

export const title = "sessions and open streams of one process";
export const applies = (a) => !!a.manySessions;

/** Descriptors of the server that are no streams: listening, calls, files of Node. */
const OTHER = 200;

/** Sends one command at a time to a child process, and returns its result. */
function talkTo(child, toMessage) {
  let pending;
  const settle = (error, value) => {
    const { resolve, reject } = pending ?? {};
    pending = undefined;
    if (error) reject?.(error);
    else resolve?.(value);
  };
  child.on("message", (m) => {
    if (m.error) settle(new Error(m.error));
    else if ("done" in m || "reply" in m) settle(undefined, m.done ?? m.value);
  });
  child.on("exit", (code, signal) => settle(new Error(`a process ended with ${code ?? signal}`)));
  const wait = () => new Promise((resolve, reject) => (pending = { resolve, reject }));
  return {
    ready: wait,
    run: (...command) => {
      const answer = wait();
      child.send(toMessage(...command));
      return answer;
    },
  };
}

async function startDriver(server, source) {
  const argument = JSON.stringify({ port: server.port, path: server.path, source });
  const options = { execPath: NODE, stdio: ["ignore", "ignore", "inherit", "ipc"] };
  const child = track(fork(lib("scaleload.mjs"), [argument], options));
  const driver = talkTo(child, (name, more) => ({ do: name, ...more }));
  await driver.ready();
  return { run: driver.run, child };
}

/** Splits a count into equal parts. */
const split = (count, parts) => Array.from({ length: parts }, (_, i) => Math.floor((count + i) / parts));

async function one(a, { sessions, streams, warm, calls, rate, ms }, log) {
  const server = await startHttp(a.id, a.manySessions, {
    execArgv: ["--expose-gc"],
    descriptors: streams + OTHER,
  });
  const { pid } = server.child;
  const { run } = talkTo(server.child, (cmd) => ({ cmd }));
  const drivers = [];
  try {
    for (const source of [1, 2, 3]) drivers.push(await startDriver(server, source));
    const [caller, ...holders] = drivers;
    /** Resident memory and heap after garbage collection, in KiB. */
    const measure = async () => {
      for (let i = 0; i < 3; i += 1) await run("gc");
      await sleep(300);
      const { heapUsed, external } = await run("memory");
      return { rss: rssMiB(pid, "VmRSS") * 1024, heap: (heapUsed + external) / 1024 };
    };
    /** Processor time of a call, without that of the idle sessions and streams, and how long calls take at a steady rate. */
    const measureCalls = async () => {
      const idleBefore = cpuSeconds(pid);
      await sleep(ms);
      const idle = ((cpuSeconds(pid) - idleBefore) * 1e3) / ms;
      const before = cpuSeconds(pid);
      const began = performance.now();
      await caller.run("calls", { count: calls });
      const spent = cpuSeconds(pid) - before - (idle * (performance.now() - began)) / 1e3;
      return { idlePercent: 100 * idle, cpuUs: (spent * 1e6) / calls, ...(await caller.run("steady", { rate, ms })) };
    };
    const spread = (command, count, over) =>
      Promise.all(split(count, over.length).map((part, i) => over[i].run(command, { count: part })));
    const grow = async (command, count, over, from) => {
      const cpu = cpuSeconds(pid);
      await spread(command, count, over);
      const cpuUs = ((cpuSeconds(pid) - cpu) * 1e6) / count;
      const to = await measure();
      return { ...to, kib: (to.rss - from.rss) / count, heapKib: (to.heap - from.heap) / count, cpuUs };
    };

    await caller.run("sessions", { count: 100 });
    await caller.run("calls", { count: warm });
    const few = await measureCalls();
    const base = await measure();
    const held = Math.min(streams, descriptorsOf(pid) - OTHER, (descriptorsOf(process.pid) - OTHER) * 2);
    if (held < streams) log(`${a.id}: ${held} streams, because the system permits ${descriptorsOf(pid)} open files`);
    const perSession = await grow("sessions", sessions - 100, drivers, base);
    const gets = Math.floor(held / 2);
    const perGet = await grow("gets", gets, holders, perSession);
    const perListen = await grow("listens", held - gets, holders, perGet);
    const many = await measureCalls();
    const states = await Promise.all(drivers.map((driver) => driver.run("state")));
    const total = (key) => states.reduce((sum, state) => sum + state[key], 0);
    if (total("closed") > 0) throw new Error(`the server closed ${total("closed")} streams`);
    return {
      sessions: total("sessions"),
      streams: total("streams"),
      gets,
      rss: rssMiB(pid, "VmRSS"),
      base: base.rss / 1024,
      ...{ perSession, perGet, perListen, few, many },
    };
  } finally {
    for (const { child } of drivers) child.kill("SIGKILL");
    await stop(server.child);
  }
}

export async function run(list, { reps = 1, quick, sessions, streams, log }) {
  const size = quick
    ? { sessions: 2_000, streams: 1_000, warm: 3_000, calls: 2_000, rate: 300, ms: 1_000 }
    : { sessions: 50_000, streams: 20_000, warm: 20_000, calls: 20_000, rate: 500, ms: 10_000 };
  if (sessions) size.sessions = Number(sessions);
  if (streams) size.streams = Number(streams);
  const out = {};
  for (let i = 0; i < reps; i += 1)
    for (const a of list) {
      const o = (out[a.id] ??= { reps: [] });
      if (o.error) continue;
      try {
        o.reps.push(await guard(() => one(a, size, log), { retries: 0 }));
      } catch (error) {
        o.error = error.message;
        log(`${a.id}: ${error.message}`);
      }
    }
  return { result: out };
}

export function figures({ result }) {
  const reps = Object.values(result).flatMap((o) => o.reps);
  const number = (key) => Math.max(...reps.map((o) => o[key])).toLocaleString("en-US");
  const among = `among ${number("sessions")} sessions and ${number("streams")} streams`;
  const list = [
    [
      "many-session-memory",
      `Memory of a session without a stream, ${number("sessions")} sessions`,
      "KiB",
      (o) => o.perSession.kib,
    ],
    [
      "many-get-memory",
      `Memory of a stream that is opened by GET, ${number("gets")} streams`,
      "KiB",
      (o) => o.perGet.kib,
    ],
    [
      "many-listen-memory",
      `Memory of a stream of subscriptions/listen, ${number("gets")} streams`,
      "KiB",
      (o) => o.perListen.kib,
    ],
    ["many-memory", `Memory of the server, ${among}`, "MiB", (o) => o.rss],
    ["few-cpu", "Processor time of the server for a call, among 100 sessions", "µs", (o) => o.few.cpuUs],
    ["many-cpu", `Processor time of the server for a call, ${among}`, "µs", (o) => o.many.cpuUs],
    ["few-p50", "Median time of a call at a steady rate, among 100 sessions", "ms", (o) => o.few.p50],
    ["many-p50", `Median time of a call at a steady rate, ${among}`, "ms", (o) => o.many.p50],
    ["few-p99", "Time that 99 % of the calls take at most, among 100 sessions", "ms", (o) => o.few.p99],
    ["many-p99", `Time that 99 % of the calls take at most, ${among}`, "ms", (o) => o.many.p99],
  ];
  return list.map(([id, title, unit, read]) => ({
    ...{ id, subject: "ours", title, unit, better: "lower", isSteady: id.endsWith("-memory") },
    values: mapValues(result, (o) => o.reps.map(read)),
  }));
}

export function render({ result }, list) {
  const rows = list.flatMap((a) =>
    (result[a.id]?.reps ?? []).map((o) => [
      a.label,
      ...[o.sessions, o.streams, o.base, o.rss, o.perSession.kib, o.perGet.kib, o.perListen.kib],
      ...[o.perSession.heapKib, o.perGet.heapKib, o.perListen.heapKib],
      ...[o.many.idlePercent, o.few.cpuUs, o.many.cpuUs, o.few.p50, o.many.p50, o.few.p99, o.many.p99],
    ]),
  );
  const header = [
    ...["server", "sessions", "streams", "RSS MiB empty", "RSS MiB", "KiB/session", "KiB/GET", "KiB/listen"],
    ...["heap KiB/session", "heap KiB/GET", "heap KiB/listen", "idle CPU %", "CPU us/call, few", "CPU us/call, many"],
    ...["p50 ms, few", "p50 ms, many", "p99 ms, few", "p99 ms, many"],
  ];
  return table(header, rows);
}
