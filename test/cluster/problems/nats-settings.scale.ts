import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { createNatsEngine, type NatsEngineOptions } from "../../../cluster/nats/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startEngineLink } from "../processes/engine-link.ts";
import { startNats } from "../processes/nats-process.ts";
import { startNatsCluster } from "../processes/nats-cluster.ts";
import { startProxy } from "../processes/proxy.ts";
import { common, openEngine, store } from "./open-engine.ts";

/*
 * Settings of NATS that are others after a reconnection, as with another server.
 */

async function startServer(): Promise<string> {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  return nats.url;
}

function open(servers: string, options: Partial<NatsEngineOptions> = {}): Promise<Engine> {
  return openEngine(createNatsEngine({ ...common, servers, ...options }));
}

async function withManager(servers: string, use: (manager: JetStreamManager) => Promise<unknown>): Promise<void> {
  const connection = await connect({ servers: servers.split(",") });
  try {
    await use(await jetstreamManager(connection, { timeout: 10_000 }));
  } finally {
    await connection.close();
  }
}

const wait = { timeout: 60_000, interval: 100 };
const events = "shop-v1-events";
const full = `NATS removes data when ${events} is full; remove max_bytes of that stream`;

describe("settings of NATS that are wrong after a reconnection", () => {
  test("a server that is too old: nothing is performed until it is replaced", async () => {
    let version = "";
    const proxy = await startProxy({
      port: Number(new URL(await startServer()).port),
      toClient: (chunk) =>
        version === "" ? chunk : Buffer.from(chunk.toString("latin1").replace(/"version":"2\.\d+/, version), "latin1"),
    });
    onTestFinished(proxy.close);
    const replaceServer = (next: string): void => {
      version = next;
      for (const socket of proxy.sockets) socket.destroy();
    };
    const engine = await open(`nats://127.0.0.1:${proxy.port}`);
    expect(await store(engine)).toBe("stored");
    replaceServer('"version":"2.8');
    await expect.poll(() => store(engine), wait).toMatch(/^NATS 2\.8[.\d]* is not supported; use NATS 2\.9 or newer$/);
    expect(engine.status()).toMatchObject({
      state: "lost",
      problems: expect.arrayContaining([expect.stringMatching(/^NATS 2\.8/)]),
    });
    replaceServer("");
    await expect.poll(() => store(engine), wait).toBe("stored");
  });

  test("a stream that removes data when it is full: reported, until it is right", async () => {
    const url = await startServer();
    const link = await startEngineLink(url);
    onTestFinished(link.close);
    const engine = await open(link.url);
    expect(engine.status().problems).toHaveLength(1);
    await withManager(url, ({ streams }) => streams.update(events, { max_bytes: 1_000_000 }));
    link.drop();
    await expect.poll(() => engine.status().problems, wait).toContain(full);
    await expect.poll(() => store(engine), wait).toBe("stored");
    await withManager(url, ({ streams }) => streams.update(events, { max_bytes: -1 }));
    link.drop();
    await expect.poll(() => engine.status().problems, wait).not.toContain(full);
  });

  test("a stream with other limits gets those of the engine", async () => {
    const url = await startServer();
    const link = await startEngineLink(url);
    onTestFinished(link.close);
    await open(link.url);
    await withManager(url, ({ streams }) => streams.update(events, { max_msgs_per_subject: 1 }));
    link.drop();
    const readLimit = async (): Promise<number | undefined> => {
      let limit: number | undefined;
      await withManager(url, async ({ streams }) => (limit = (await streams.info(events)).config.max_msgs_per_subject));
      return limit;
    };
    await expect.poll(readLimit, wait).toBe(1_001);
  });

  test("in a cluster, where the engine is strict: nothing is performed until the settings are right, and streams have three copies", async () => {
    const servers = await startNatsCluster();
    onTestFinished(servers.close);
    const link = await startEngineLink(servers.url);
    onTestFinished(link.close);
    // Streams that an engine has made with one copy.
    const earlier = await open(servers.url);
    expect(earlier.status().problems).toEqual([expect.stringMatching(/ set replicas to 3$/)]);
    const engine = await open(link.url, { replicas: 3, strict: true });
    expect(engine.status().problems).toEqual([]);
    await withManager(servers.url, async ({ streams }) => {
      expect((await streams.info(events)).config.num_replicas).toBe(3);
      await streams.update(events, { max_bytes: 1_000_000 });
    });
    link.drop();
    await expect.poll(() => store(engine), wait).toBe(full);
    expect(engine.status()).toMatchObject({ state: "lost" });
    await withManager(servers.url, ({ streams }) => streams.update(events, { max_bytes: -1, num_replicas: 1 }));
    // The engine gives the stream three copies again.
    await expect.poll(() => store(engine), wait).toBe("stored");
    await withManager(servers.url, async ({ streams }) => {
      expect((await streams.info(events)).config.num_replicas).toBe(3);
    });
  });
});
