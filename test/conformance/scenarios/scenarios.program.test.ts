import { beforeAll, describe, expect, it, test } from "vitest";
import { formatPage, readPage } from "../../kit/docs-page.ts";
import { findDifference } from "./difference.ts";
import { everyScenario, runScenarios } from "./list.ts";
import { runScenario, type Outcome, type Scenario, type Scene } from "./scenario.ts";
import { heading, renderSection } from "./section.ts";

/* Scenarios that the published suite does not have: `docs/conformance.md` lists them with their results. */

let outcomes: readonly Outcome[] = [];

beforeAll(async () => {
  outcomes = await runScenarios(AbortSignal.timeout(60_000));
});

const cells = everyScenario.flatMap(({ id, side, revisions }) =>
  revisions.map((revision) => ({ id, side, revision, name: `${id} at ${revision}` })),
);

describe.each(["server", "client"] as const)("scenarios of the %s", (side) => {
  it.each(cells.filter((cell) => cell.side === side))("passes $name", ({ id, revision }) => {
    const found = outcomes.filter((one) => one.id === id && one.side === side && one.revision === revision);
    expect(found).toHaveLength(1);
    expect(found.flatMap(({ checks }) => checks.filter(({ difference }) => difference !== undefined))).toEqual([]);
  });
});

test("the page about conformance has the results of all scenarios", async () => {
  const text = readPage("conformance.md");
  const section = text.slice(text.indexOf(heading));
  expect(section).toBe(await formatPage(renderSection(everyScenario, outcomes)));
});

describe("a scenario", () => {
  const run = (steps: Scenario<Scene>["run"]): Promise<Outcome> =>
    runScenario(
      { id: "sample", side: "server", revisions: [], clause: { page: "2025-11-25/basic" }, run: steps },
      "2025-11-25",
      (scene) => scene,
    );

  test.each<readonly [string, Scenario<Scene>["run"], RegExp]>([
    [
      "a value that differs",
      async ({ check }) => check("status", { status: 200 }, { status: 404 }),
      /status is 200, not 404/,
    ],
    ["an error", () => Promise.reject(new Error("not reachable")), /not reachable/],
    ["nothing that was checked", async () => {}, /nothing was checked/],
  ])("fails with %s", async (_name, steps, problem) => {
    expect((await run(steps)).checks.map(({ difference }) => difference)).toEqual([expect.stringMatching(problem)]);
  });

  test("ends what it has started, last first, also after an error", async () => {
    const ended: number[] = [];
    await run(async ({ onEnd }) => {
      for (const number of [1, 2]) onEnd(() => ended.push(number));
      throw new Error("not reachable");
    });
    expect(ended).toEqual([2, 1]);
  });
});

test.each<readonly [found: unknown, expected: unknown, difference: string | undefined]>([
  [{ a: 1, b: 2 }, { a: 1 }, undefined],
  [{ a: 1 }, { a: 1, b: undefined }, undefined],
  [{ a: 1, b: 2 }, { b: undefined }, "it.b is 2, not undefined"],
  [[1, 2], [1], "it is [1,2], not [1]"],
  [[{ a: 1 }], [{ a: 2 }], "it.0.a is 1, not 2"],
  [undefined, { a: 1 }, 'it is undefined, not {"a":1}'],
  ["Bearer x", /^Bearer /, undefined],
  [undefined, /^Bearer /, "it is undefined, not /^Bearer /"],
  [undefined, /./, "it is undefined, not /./"],
  [[], Array.isArray, undefined],
  [{}, Array.isArray, expect.stringContaining("isArray")],
])("%j compared with %j differs: %j", (found, expected, difference) => {
  expect(findDifference(found, expected)).toEqual(difference);
});
