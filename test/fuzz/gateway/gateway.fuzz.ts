import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { fuzzGateways } from "./gateway-fuzz.ts";
import { readMessages, readSeed } from "../fuzz.ts";
import { readFuzzRevisions } from "../revision.ts";

/* A fifth of the messages of a long run. */

test("a gateway between hostile clients and servers continues to respond, and takes no more memory in the end than at first", async () => {
  const revisions = await readFuzzRevisions();
  const seed = readSeed();
  const messages = readMessages() / 5;
  // Everything that is created once exists after the first tenth.
  await fuzzGateways({ revisions, messages: messages / 10, seed });
  const before = readHeap();
  const report = await fuzzGateways({ revisions, messages, seed: seed + 1_000_000 });
  const grown = Math.round((readHeap() - before) / 1024 / 1024);
  console.log(`seed ${seed}: ${JSON.stringify(report)}, ${grown} MiB more`);
  expect(report.problems).toEqual([]);
  expect(grown).toBeLessThan(256);
});

/** Bytes of the heap that are in use after a collection. */
function readHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
