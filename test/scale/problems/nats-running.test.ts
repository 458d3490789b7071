import { createNatsEngine } from "../../../runtime/adapters/nats/index.ts";
import { startNats, type NatsProcess } from "../cluster/nats-process.ts";
import { describeRunning, type TestStore } from "./running.suite.ts";

interface NatsStore extends TestStore {
  readonly nats: NatsProcess;
}

async function startStore(): Promise<NatsStore> {
  const nats = await startNats();
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

describeRunning("NATS", startStore, [
  { name: "NATS does not respond", begin: ({ nats }) => nats.suspend(), end: (store) => store.restart() },
  { name: "NATS is not there", begin: ({ nats }) => nats.kill(), end: (store) => store.restart() },
]);
