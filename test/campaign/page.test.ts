import { describe, expect, test } from "vitest";
import { formatPage, readPage } from "../kit/docs-page.ts";
import { renderPage } from "./page.ts";
import { atLeast, atMost, describeFigure, exactly, hasPassed, readResults, startRun } from "./result.ts";

test("the page about reliability shows the saved results", async () => {
  expect(readPage("reliability.md")).toBe(await formatPage(renderPage(readResults())));
});

describe("a result", () => {
  const unit = "MB";
  const { finish } = startRun("cuts", { seed: 7, isShort: false, count: 20 });
  const met = [
    describeFigure("a", 1, unit),
    atMost("b", 2, { limit: 2, unit }),
    atLeast("c", 2, { limit: 2, unit }),
    exactly("d", 2, { limit: 2, unit }),
  ];

  test("a result passes when all goals are met and nothing was found", () => {
    expect(hasPassed(finish(met))).toBe(true);
    expect(hasPassed(finish([]))).toBe(false);
    expect(hasPassed(finish(met, ["lost"]))).toBe(false);
  });

  test("a short run is judged by its counts only", () => {
    expect(hasPassed(finish([atMost("b", 3, { limit: 2, unit })]), { isShort: true })).toBe(true);
    expect(hasPassed(finish([atMost("b", 3, { limit: 2, unit: "" })]), { isShort: true })).toBe(false);
  });

  test.each([
    atMost("b", 2.1, { limit: 2, unit }),
    atLeast("c", 1.9, { limit: 2, unit }),
    exactly("d", 1, { limit: 2, unit }),
    atMost("e", NaN, { limit: 2, unit }),
  ])("a result fails when a goal is not met: $name, $goal", (figure) => {
    const result = finish([...met, figure]);
    expect(hasPassed(result)).toBe(false);
    expect(renderPage([result])).toContain(`| ${figure.name} | **`);
  });

  test("a page lists what was not run, and what was found as plain text", () => {
    const page = renderPage([finish(met, ["a <b> | `c` $d$"])]);
    expect(page).toContain("| Servers that are killed |  |  |  | not run |");
    expect(page).toContain("| [Cuts of streams](#cuts-of-streams) |");
    expect(page).toContain("- a \\<b\\> \\| \\`c\\` \\$d\\$");
    expect(page).toContain("Command: `npm run campaign -- cuts --count 20 --seed 7`.");
  });

  test.each([
    ["not finished", []],
    ["**failed**", ["lost"]],
  ])("a run that another one can continue is %s with the findings %j", (outcome, violations) => {
    const progress = { jobs: 1, cpu: 1, conversations: 1, messages: {}, findings: [] };
    const unmet = atLeast("messages", 1, { limit: 2, unit: "" });
    expect(renderPage([finish([unmet], violations, progress)])).toContain(`| 7 | ${outcome} |`);
  });

  test("a run that others have ended has the command without their minutes", () => {
    const start = { seed: 7, isShort: false, minutes: 5 };
    const earlier = startRun("cuts", start).finish(met);
    expect(earlier.options).toEqual({ minutes: 5 });
    expect(startRun("cuts", { ...start, earlier }).finish(met).options).toEqual({});
  });

  test("a page rejects a result without a section", () => {
    expect(() => renderPage([startRun("other", { seed: 1, isShort: false }).finish(met)])).toThrow(
      "The result other has no section",
    );
  });
});
