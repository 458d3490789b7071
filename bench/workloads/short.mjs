// The short form: processor time of one call, in microseconds. Other programs change it less than calls per second.
import { startLineServer } from "../lib/linedrive.mjs";
import { cpuSeconds, runWorkerOnce, startHttp, stdioCommand, stop } from "../lib/child.mjs";
import { check, prepare } from "./W14.mjs";
import { drive } from "./W5.mjs";

const inFlight = 100;
const memoryCalls = 20_000;

/** Client and server in memory, in a worker process. */
export async function measure(adapter) {
  const client = await adapter.inMemory();
  const calls = async (count) => {
    const lane = async () => {
      for (let i = 0; i < count / inFlight; i++) {
        const result = await client.call("echo", { text: "hello world" });
        if (result?.content?.[0]?.text !== "hello world") throw new Error(`wrong result: ${JSON.stringify(result)}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  };
  await calls(memoryCalls);
  const before = process.cpuUsage();
  await calls(memoryCalls);
  const { user, system } = process.cpuUsage(before);
  await client.close?.();
  return (user + system) / memoryCalls;
}

export const memoryCost = (adapter) => runWorkerOnce("short", adapter.id);

/** Server over stdio with 256 calls in flight. The kernel counts in 10 ms, so the calls have to be many. */
export async function stdioCost(adapter) {
  const server = startLineServer(stdioCommand(adapter), adapter.era);
  try {
    await server.open();
    await server.warm({ calls: 20_000, ms: 5_000 });
    const before = cpuSeconds(server.child.pid);
    let calls = 0;
    while (calls < 60_000) {
      const { n, bad } = await server.load(256, 200);
      if (bad > 0) throw new Error(`${adapter.id}: ${bad} wrong results`);
      calls += n;
    }
    return ((cpuSeconds(server.child.pid) - before) * 1e6) / calls;
  } finally {
    await server.close();
  }
}

/** Types of a server with many tools: thousands of instantiations in the compiler. No other program changes them. */
export const typesCost = async (adapter) => check(await prepare(adapter)).instantiations / 1e3;

/** Server over Streamable HTTP with 64 connections. */
export async function httpCost(adapter, mode) {
  const { child, port, path } = await startHttp(adapter.id, mode);
  try {
    const [era, stateful] = [mode.startsWith("modern") ? "2026" : "2025", mode.startsWith("stateful")];
    const load = { levels: [64], ms: 600, warmMs: 4_000, warmRequests: 6_000 };
    const { 64: result } = await drive({ port, path, era, stateful, ...load }, child.pid);
    if (result.bad > 0) throw new Error(`${adapter.id}: ${result.bad} wrong results, ${result.why}`);
    return result.cpuUs;
  } finally {
    await stop(child);
  }
}
