import { expect, onTestFinished, test } from "vitest";
import { createNatsEngine } from "../../../runtime/adapters/nats/index.ts";
import { startNats } from "../cluster/nats-process.ts";
import { engineKey, findCanaries, storeAll } from "./canaries.ts";
import { startRecorder } from "./strange-servers.ts";

/** Records everything that NATS receives while something of each kind is stored. */
async function record(encrypt: boolean): Promise<string> {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const { port, readText } = await startRecorder(Number(new URL(nats.url).port));
  const engine = createNatsEngine({ servers: `nats://127.0.0.1:${port}`, keys: [engineKey], prefix: "shop", encrypt });
  await engine.open();
  try {
    await storeAll(engine);
  } finally {
    await engine.close();
  }
  expect(readText().length).toBeGreaterThan(5_000);
  return readText();
}

test("ids, principals, tokens and keys never reach NATS in clear", async () => {
  const found = findCanaries(await record(false));
  expect(found).toContain("canary-content-event");
  expect(found.filter((canary) => !canary.startsWith("canary-content"))).toEqual([]);
});

test("contents of sessions, events, tasks, outcomes and messages are encrypted on NATS with `encrypt`", async () => {
  expect(findCanaries(await record(true))).toEqual([]);
});
