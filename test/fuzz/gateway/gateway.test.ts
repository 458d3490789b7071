import { expect, test } from "vitest";
import { fuzzGateways } from "./gateway-fuzz.ts";
import { readSeed } from "../fuzz.ts";
import { readFuzzRevisions } from "../revision.ts";

const seed = readSeed();

test(`a gateway between hostile clients and servers serves every well-behaved client (FUZZ_SEED=${seed})`, async () => {
  const { problems, calls } = await fuzzGateways({ revisions: await readFuzzRevisions(), messages: 5_000, seed });
  expect(problems).toEqual([]);
  expect(calls).toBeGreaterThan(0);
});
