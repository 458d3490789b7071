import { beforeAll, expect, test } from "vitest";
import { fuzz, readSeed, type CreateSubject } from "./fuzz.ts";
import { readFuzzRevisions, type FuzzRevision } from "./revision.ts";

/** Sends so many messages to each of the ends, at every revision. */
export function testFuzz(
  subjects: readonly (readonly [name: string, create: CreateSubject])[],
  messagesEach: number,
): void {
  const seed = readSeed();
  let revisions: readonly FuzzRevision[] = [];

  beforeAll(async () => {
    revisions = await readFuzzRevisions();
  });

  test.each(subjects)(
    `%s handles ${messagesEach} messages of any kind as required, at every revision (J, R1, R2, R3, R12, R68; FUZZ_SEED=${seed})`,
    async (_name, create) => {
      expect(await fuzz(create, { revisions, messages: messagesEach, seed })).toBeGreaterThanOrEqual(messagesEach);
    },
  );
}
