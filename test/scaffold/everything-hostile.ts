import { beforeAll, expect, test } from "vitest";
import { fuzz, readSeed } from "../fuzz/fuzz.ts";
import { startRemote } from "../fuzz/remote/process.ts";
import { createHttpSubject, createStdioSubject, readUrl, remoteOptions } from "../fuzz/remote/subjects.ts";
import { readFuzzRevisions, type FuzzRevision } from "../fuzz/revision.ts";
import { optionsVariable, type EverythingProject } from "./everything-project.ts";

/** Bytes that may stay, as for hostile servers. */
const slack = 48 * 1024 * 1024;

/** How many messages each transport carries. A server on stdio serves one conversation only, so that many are started. */
const onStdio = 500;
const onHttp = 1_500;

/** The bundle answers whatever comes as its sources do in memory: with the same codes, without a crash, and without keeping it. */
export function testHostileInput(open: () => EverythingProject): void {
  const seed = readSeed();
  const env = { [optionsVariable]: JSON.stringify(remoteOptions) };
  let revisions: readonly FuzzRevision[] = [];

  beforeAll(async () => {
    revisions = await readFuzzRevisions();
  });

  test(`a scaffolded server handles ${onStdio} messages of any kind over stdio as required (FUZZ_SEED=${seed})`, async () => {
    const server = { args: [open().server], env };
    const options = { revisions, messages: onStdio, seed, isSlow: true };
    expect(await fuzz(createStdioSubject.bind(undefined, server), options)).toBeGreaterThanOrEqual(onStdio);
  });

  test(`a scaffolded server handles ${onHttp} messages of any kind over HTTP as required, and releases memory (FUZZ_SEED=${seed})`, async () => {
    const remote = startRemote([open().server, "--http", "0"], env);
    try {
      const create = createHttpSubject.bind(undefined, await readUrl(remote));
      const options = { revisions, seed, isSlow: true };
      await fuzz(create, { ...options, messages: onHttp / 5 });
      const before = await remote.used();
      expect(await fuzz(create, { ...options, messages: onHttp, seed: seed + 1_000 })).toBeGreaterThanOrEqual(onHttp);
      expect((await remote.used()) - before).toBeLessThan(slack);
    } finally {
      remote.child.kill("SIGTERM");
    }
    expect(await remote.end()).toEqual([]);
  });
}
