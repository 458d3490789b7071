import { afterEach, describe, expect, it } from "vitest";
import { joinCluster } from "../../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../../cluster/memory-engine.ts";
import { toDrainDelay } from "../../../../runtime/transport/http-server/listen.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { start, type Rig } from "../../../kit/http-server.ts";

const paths = { health: "/health", live: "/live", ready: "/ready" };

let rig: Rig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

describe("probes of an HTTP server", () => {
  it("a server that accepts requests is live and ready", async () => {
    rig = await start({}, paths);
    for (const path of Object.values(paths)) expect(await probe(rig, path)).toEqual([200, { status: "ok" }]);
    const posted = await fetch(new URL("/ready", rig.url), { method: "POST", body: "{}" });
    expect([posted.status, posted.headers.get("allow"), await posted.text()]).toEqual([405, "GET, HEAD", ""]);
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await fetch(new URL("/ready?a=1", rig.url), { method });
      expect([status, headers.get("content-type"), headers.get("cache-control"), headers.get("allow")]).toEqual([
        200,
        "application/json",
        "no-store",
        null,
      ]);
    }
    expect((await fetch(new URL("/other", rig.url))).status).toBe(404);
  });

  it("a server that closes is not ready but live, and serves until its drain delay is over", async () => {
    const clock = new ManualClock();
    rig = await start({}, { ...paths, drainDelay: 400, clock });
    const session = await rig.open();
    const closed = rig.close();
    expect(await probe(rig, "/ready")).toEqual([503, { status: "closing" }]);
    expect(await probe(rig, "/health")).toEqual([503, { status: "closing" }]);
    expect(await probe(rig, "/live")).toEqual([200, { status: "ok" }]);
    const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
    expect((await rig.send({ body: ping, headers: session.headers })).status).toBe(200);
    clock.advance(399);
    expect(await probe(rig, "/live")).toEqual([200, { status: "ok" }]);
    clock.advance(1);
    await closed;
    await expect(fetch(new URL("/live", rig.url))).rejects.toThrow();
  });

  it.each([
    ["without a cluster", false, { ready: "/ready" }, 0],
    ["of a cluster without a probe", true, {}, 0],
    ["of a cluster with a probe for readiness", true, { ready: "/ready" }, 5_000],
    ["of a cluster with a probe for health", true, { health: "/health" }, 5_000],
    ["with a delay of its own", true, { ready: "/ready", drainDelay: 7 }, 7],
  ])("a closing server %s serves for %3$i ms more", async (_what, isNode, given, delay) => {
    const cluster = await joinCluster(createMemoryCluster().connect(), { keys: [new Uint8Array(32).fill(1)] });
    expect(toDrainDelay({ ...given, ...(isNode && { cluster }) })).toBe(delay);
  });

  it("a node whose engine is lost stays ready, as degraded", async () => {
    const memory = createMemoryCluster();
    const cluster = await joinCluster(memory.connect(), { keys: [new Uint8Array(32).fill(1)] });
    rig = await start({}, { ...paths, cluster, drainDelay: 0 });
    expect(await probe(rig, "/ready")).toEqual([200, { status: "ok" }]);
    memory.lose();
    expect(await probe(rig, "/ready")).toEqual([200, { status: "degraded" }]);
    expect(await probe(rig, "/health")).toEqual([200, { status: "ok" }]);
    memory.restore();
    expect(await probe(rig, "/ready")).toEqual([200, { status: "ok" }]);
  });
});

async function probe({ url }: Rig, path: string): Promise<readonly [number, unknown]> {
  const response = await fetch(new URL(path, url));
  return [response.status, await response.json()];
}
