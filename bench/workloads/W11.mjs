// W11 both eras: what it costs a request that the server serves sessions and requests that stand alone, beside a server that is pinned to the era of the
// request. Both, and in HTTP the floor, are in one process and take turns, in blocks; the figure is CPU time, in which other programs hardly show.
import { createServer } from "node:http";
import { runWorker } from "../lib/child.mjs";
import { MODERN_META } from "../lib/corpus.mjs";
import { ACCEPT, Conn, openSession, request } from "../lib/httpload.mjs";
import { ratio, table } from "../lib/report.mjs";
import { fold, median } from "../lib/stats.mjs";

export const title = "both eras on one endpoint";
export const applies = (a) => !!a.eraMemory;

const sessions = "2025-11-25";
const alone = "2026-07-28";
const both = [alone, sessions];

const makeParams = (era) => ({
  name: "echo",
  arguments: { text: "hello world" },
  ...(era === alone && { _meta: MODERN_META }),
});

/** A server in memory, spoken to in bare messages: what is measured is the server. */
export async function openMemory(a, era, revisions) {
  const near = await a.eraMemory(revisions);
  let open = 0;
  let done;
  near.start({
    message(m) {
      if (m.error || !JSON.stringify(m.result).includes("hello world")) done?.(new Error(JSON.stringify(m)));
      else if (--open === 0) done?.();
    },
    problem: () => done?.(new Error("a problem")),
    ended() {},
    disconnected() {},
  });
  let id = 0;
  const together = (messages) =>
    new Promise((resolve, reject) => {
      open = messages.length;
      done = (error) => (error ? reject(error) : resolve());
      for (const m of messages) near.send(m);
    });
  if (era === sessions) await shakeHands(near);
  return {
    block: async (n) => {
      for (let i = 0; i < n; i += 50)
        await together(
          Array.from({ length: 50 }, () => ({
            jsonrpc: "2.0",
            id: ++id,
            method: "tools/call",
            params: makeParams(era),
          })),
        );
    },
    close: () => near.close(),
  };

  async function shakeHands(end) {
    const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "load", version: "1.0.0" } };
    end.send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    await new Promise((resolve) => setTimeout(resolve, 50));
    end.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A server over HTTP; the client's share and Node's is in the floor as well. */
export async function openHttp(era, server) {
  const { port, close, path = "/mcp" } = server;
  const conns = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const conn = new Conn(port);
      await conn.ready();
      const alike = { ...ACCEPT, "MCP-Protocol-Version": era };
      const headers =
        era === alone
          ? { ...alike, "Mcp-Method": "tools/call", "Mcp-Name": "echo" }
          : server.isFloor
            ? alike
            : (await openSession(conn, { port, path })).headers;
      const params = makeParams(era);
      return {
        conn,
        bytes: request(
          "POST",
          path,
          port,
          headers,
          JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
        ),
      };
    }),
  );
  return {
    block: (n) =>
      Promise.all(
        conns.map(async ({ conn, bytes }) => {
          for (let i = 0; i < n / conns.length; i++) {
            const { status, body } = await conn.send(bytes);
            if (status !== 200 || !body.includes("hello world")) throw new Error(`${status} ${body}`);
          }
        }),
      ),
    close() {
      for (const { conn } of conns) conn.close();
      return close();
    },
  };
}

/** Reads the body, and answers the same to everything. */
async function openFloor() {
  const answer = JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    result: { content: [{ type: "text", text: "hello world" }] },
  });
  const server = createServer((incoming, response) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, isFloor: true, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** Microseconds of this process's CPU time for each call, in turns that go there and back. */
async function takeTurns(servers, { blocks, calls }) {
  const names = Object.keys(servers);
  const spent = Object.fromEntries(names.map((name) => [name, []]));
  const time = async (name) => {
    const before = process.cpuUsage();
    await servers[name].block(calls);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  };
  for (let i = 0; i < 4; i++) for (const name of names) await time(name);
  for (let i = 0; i < blocks; i++) {
    for (const name of i % 2 ? names.toReversed() : names) spent[name].push(await time(name));
  }
  return spent;
}

/** One pair in a process of its own. */
export async function measure(a, { era, transport, blocks, calls }) {
  const http = transport === "HTTP";
  const open = async (revisions) => (http ? openHttp(era, await a.eraHttp(revisions)) : openMemory(a, era, revisions));
  const servers = {
    pinned: await open([era]),
    both: await open(both),
    ...(http && { floor: await openHttp(era, await openFloor()) }),
  };
  const spent = await takeTurns(servers, { blocks, calls });
  const floor = http ? median(spent.floor) : 0;
  return {
    pinned: median(spent.pinned),
    both: median(spent.both),
    floor,
    // Block by block: what slows a machine for a while slows both.
    ratio: median(spent.both.map((value, i) => value / spent.pinned[i])),
    own: median(spent.both.map((value, i) => (value - floor) / (spent.pinned[i] - floor))),
  };
}

export async function run(list, { reps = 5, quick }) {
  const out = {};
  const blocks = quick ? 40 : 150;
  for (let r = 0; r < reps; r++)
    for (const a of list)
      for (const transport of ["memory", "HTTP"])
        for (const era of [alone, sessions]) {
          const options = { era, transport, blocks, calls: transport === "HTTP" ? 160 : 1_000 };
          const one = await runWorker("W11", a.id, options, { timeoutMs: 120_000 });
          (out[`${a.id} ${transport} ${era}`] ??= { reps: [] }).reps.push(one);
        }
  for (const key of Object.keys(out)) Object.assign(out[key], fold(out[key].reps));
  return { result: out };
}

export function render({ result }, list) {
  const rows = list.flatMap((a) =>
    ["memory", "HTTP"].flatMap((transport) =>
      [alone, sessions].flatMap((era) => {
        const found = result[`${a.id} ${transport} ${era}`];
        if (!found) return [];
        const { pinned, both: dual, floor, ratio: whole, own } = found.median;
        return [[a.label, transport, era, pinned, dual, floor || "-", ratio(whole, 1), ratio(own, 1)]];
      }),
    ),
  );
  return table(
    [
      "contestant",
      "transport",
      "era",
      "pinned, CPU us",
      "both eras, CPU us",
      "floor, CPU us",
      "both/pinned",
      "without the floor",
    ],
    rows,
  );
}
