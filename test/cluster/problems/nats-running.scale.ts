import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { startNats, type NatsProcess } from "../processes/nats-process.ts";
import { describeRunning, type TestStore } from "./running.suite.ts";

interface NatsStore extends TestStore {
  readonly nats: NatsProcess;
}

const config = 'jetstream { store_dir: "$FOLDER", max_file_store: 4MB }';

async function startStore(): Promise<NatsStore> {
  const nats = await startNats({ config });
  const restart = async (): Promise<void> => {
    await nats.kill();
    await nats.restart();
  };
  return {
    nats,
    createEngine: () => createNatsEngine({ servers: nats.url, keys: [new Uint8Array(32).fill(7)], prefix: "shop" }),
    restart,
    async forget() {
      await nats.kill();
      await nats.forget();
      await nats.restart();
    },
    close: () => nats.close(),
  };
}

/** Fills the storage of the server. */
async function fill({ url }: NatsProcess): Promise<void> {
  const connection = await connect({ servers: url });
  try {
    await (await jetstreamManager(connection)).streams.add({ name: "filler", subjects: ["filler"] });
    const client = jetstream(connection);
    const publish = async (): Promise<void> => {
      for (;;) await client.publish("filler", new Uint8Array(512 * 1024));
    };
    await expect(publish()).rejects.toThrow("insufficient resources");
  } finally {
    await connection.close();
  }
}

async function makeRoom({ url }: NatsProcess): Promise<void> {
  const connection = await connect({ servers: url });
  try {
    await (await jetstreamManager(connection)).streams.delete("filler");
  } finally {
    await connection.close();
  }
}

describeRunning("NATS", startStore, [
  { name: "NATS has no storage left", begin: ({ nats }) => fill(nats), end: ({ nats }) => makeRoom(nats) },
  { name: "NATS does not respond", begin: ({ nats }) => nats.suspend(), end: (store) => store.restart() },
  { name: "NATS is not there", begin: ({ nats }) => nats.kill(), end: (store) => store.restart() },
]);
