import fc from "fast-check";
import { expect, test } from "vitest";
import { readSeed } from "../fuzz.ts";
import { createRunners, programs } from "./programs.ts";

/** Programs that run at the same time. */
const together = 50;

/** Runs a number of programs in sessions and with stateless requests, and compares the outcomes. */
export function testReplay(count: number): void {
  test(`${count} handlers have the same results and effects in a session and with stateless requests (A10, 3.5)`, async () => {
    const { session, stateless } = await createRunners();
    const some = fc.array(programs, { minLength: together, maxLength: together, size: "max" });
    let played = 0;
    const seen = { effects: 0, results: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(some, async (list) => {
        played += list.length;
        const runs = list.map(async (program) => {
          const [one, other] = await Promise.all([session.run(program), stateless.run(program)]);
          expect(other, JSON.stringify(program)).toEqual(one);
          seen.effects += one.effects.length;
          seen.results.add(JSON.stringify(one.result));
        });
        await Promise.all(runs);
      }),
      { seed: readSeed(), numRuns: count / together, endOnFailure: false },
    );
    expect(played).toBeGreaterThanOrEqual(count);
    // The programs really do something, and not all the same.
    expect(seen.effects).toBeGreaterThan(count / 10);
    expect(seen.results.size).toBeGreaterThan(count / 20);
    await Promise.all([session.close(), stateless.close()]);
  });
}
