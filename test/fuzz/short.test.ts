import { beforeAll, expect, test } from "vitest";
import { fuzz, readSeed, type CreateSubject } from "./fuzz.ts";
import { readFuzzRevisions, type FuzzRevision } from "./revision.ts";
import { createClientSubject, createServerSubject } from "./subjects.ts";

let revisions: readonly FuzzRevision[] = [];

beforeAll(async () => {
  revisions = await readFuzzRevisions();
});

const subjects: readonly (readonly [string, CreateSubject])[] = [
  ["a server", createServerSubject],
  ["a client", createClientSubject],
];

const seed = readSeed();

test.each(subjects)(`%s answers anything with what must be answered, at every revision (FUZZ_SEED=${seed})`, async (_name, create) => {
  expect(await fuzz(create, { revisions, messages: 5_000, seed })).toBeGreaterThanOrEqual(5_000);
});
