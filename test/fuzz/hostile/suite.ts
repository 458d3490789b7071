import { beforeAll, expect, test } from "vitest";
import { readSeed } from "../fuzz.ts";
import { attack, type ClientLayer, type OpenHostile, sourceClient } from "./hostile.ts";
import { openHostileEndpoints } from "./http.ts";
import { openHostileProcesses } from "./stdio.ts";
import { readFuzzRevisions, type FuzzRevision } from "../revision.ts";

const transports: readonly (readonly [name: string, open: (layer?: ClientLayer) => Promise<OpenHostile>])[] = [
  ["a child process", openHostileProcesses],
  ["an HTTP server", openHostileEndpoints],
];

/** Lets servers of each kind send so many hostile messages to a client, in so many conversations at a time. Default: the client of the sources. */
export function testHostileServers(
  messagesEach: number,
  atOnce: number,
  load: () => Promise<ClientLayer> = () => Promise.resolve(sourceClient),
): void {
  const seed = readSeed();
  let revisions: readonly FuzzRevision[] = [];

  beforeAll(async () => {
    revisions = await readFuzzRevisions();
  });

  test.each(transports)(
    `a client survives ${messagesEach} messages of %s: every call ends, none is sent twice, and memory is released (R12, R68, R70; FUZZ_SEED=${seed})`,
    async (_name, open) => {
      const layer = await load();
      const { problems, grown, ...figures } = await attack(await open(layer), {
        layer,
        revisions,
        messages: messagesEach,
        seed,
        atOnce,
      });
      expect(problems, JSON.stringify(figures)).toEqual([]);
      expect(figures.messages).toBeGreaterThanOrEqual(messagesEach);
      expect(figures.calls).toBeGreaterThan(0);
      expect(grown).toBeLessThan(slack);
      if (process.env["FUZZ_FIGURES"]) process.stdout.write(`${JSON.stringify({ ...figures, grown })}\n`);
    },
  );
}

/** Bytes that may stay: code that was compiled meanwhile, connections that are about to close. */
const slack = 48 * 1024 * 1024;
