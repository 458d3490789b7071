import { beforeAll, expect, test } from "vitest";
import { fuzz, readSeed, type CreateSubject } from "../fuzz/fuzz.ts";
import type { ClientLayer } from "../fuzz/hostile/hostile.ts";
import { testHostileServers } from "../fuzz/hostile/suite.ts";
import { startRemote } from "../fuzz/remote/process.ts";
import { fuzzStatelessHttp, fuzzStatelessStdio } from "../fuzz/remote/stateless.ts";
import { createHttpSubject, createStdioSubject, readUrl, remoteOptions } from "../fuzz/remote/subjects.ts";
import { readFuzzRevisions, type FuzzRevision } from "../fuzz/revision.ts";
import { statelessRevision } from "../kit/revisions.ts";
import { optionsVariable, type EverythingProject } from "./everything-project.ts";

/** Bytes that may stay, as for hostile servers. */
const slack = 48 * 1024 * 1024;

/** Number of messages over each transport. A server on stdio serves one conversation only, so that many are started. */
const onStdio = 500;
const onHttp = 500;

/** Number of stateless messages over HTTP: subscriptions among them wait for their end. */
const onHttpStateless = 400;

/** Number of messages that hostile servers send to the client over each transport. */
const toClient = 500;

/** The bundle responds to whatever comes as its sources do in memory: with the same codes, without a crash, and without keeping it. */
export function testHostileInput(open: () => EverythingProject): void {
  const seed = readSeed();
  const env = { [optionsVariable]: JSON.stringify(remoteOptions) };
  let revisions: readonly FuzzRevision[] = [];
  let stateless: readonly FuzzRevision[] = [];

  beforeAll(async () => {
    revisions = await readFuzzRevisions();
    stateless = await readFuzzRevisions([statelessRevision]);
  });
  const readStateless = (): FuzzRevision => stateless[0] ?? expect.unreachable();

  test(`a scaffolded server handles ${onStdio} messages of any kind over stdio as required (FUZZ_SEED=${seed})`, async () => {
    const server = { args: [open().server], env };
    const options = { revisions, messages: onStdio, seed, isSlow: true };
    expect(await fuzz(createStdioSubject.bind(undefined, server), options)).toBeGreaterThanOrEqual(onStdio);
  });

  test(`a scaffolded server handles ${onHttp} messages of any kind over HTTP as required, and releases memory (FUZZ_SEED=${seed})`, async () => {
    const remote = startRemote([open().server, "--http", "0"], env);
    try {
      const url = await readUrl(remote);
      const create: CreateSubject = (script, revisions) => createHttpSubject(url, script, revisions);
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

  test(`a scaffolded server handles ${onStdio} stateless messages over stdio as required (FUZZ_SEED=${seed})`, async () => {
    const options = { fuzz: readStateless(), messages: onStdio, seed };
    expect(await fuzzStatelessStdio({ args: [open().server], env }, options)).toEqual([]);
  });

  test(`a scaffolded server handles ${onHttpStateless} stateless messages over HTTP as required, and releases memory (FUZZ_SEED=${seed})`, async () => {
    const remote = startRemote([open().server, "--http", "0"], env);
    try {
      const url = await readUrl(remote);
      const options = { fuzz: readStateless(), seed };
      expect(await fuzzStatelessHttp(url, { ...options, messages: onHttpStateless / 5 })).toEqual([]);
      const before = await remote.used();
      expect(await fuzzStatelessHttp(url, { ...options, messages: onHttpStateless, seed: seed + 1_000 })).toEqual([]);
      expect((await remote.used()) - before).toBeLessThan(slack);
    } finally {
      remote.child.kill("SIGTERM");
    }
    expect(await remote.end()).toEqual([]);
  });

  // The client of the project, as its build bundles it.
  testHostileServers(toClient, 2, (): Promise<ClientLayer> => import(open().mcp));
}
