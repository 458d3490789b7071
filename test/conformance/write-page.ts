import { readPage, writePage } from "../kit/docs-page.ts";
import { renderPage, type ConformanceRun } from "./page.ts";
import { everyScenario, runScenarios } from "./scenarios/list.ts";
import type { Outcome } from "./scenarios/scenario.ts";
import { hasPassed, heading, renderSection } from "./scenarios/section.ts";

const page = "conformance.md";

/** Writes the page about a run of the suite, with the scenarios that it does not have. Returns true if these have passed. */
export async function writeRun(run: ConformanceRun): Promise<boolean> {
  return writeWithScenarios(renderPage(run));
}

/** Writes the section about the scenarios that the suite does not have; the rest of the page stays. Returns true if they have passed. */
export async function writeScenarios(): Promise<boolean> {
  const [suite = ""] = readPage(page).split(heading);
  return writeWithScenarios(suite);
}

async function writeWithScenarios(suite: string): Promise<boolean> {
  const outcomes = await runScenarios(AbortSignal.timeout(120_000));
  for (const outcome of outcomes) print(outcome);
  const text = `${suite.trimEnd()}\n\n${renderSection(everyScenario, outcomes)}`;
  await writePage(page, text);
  return outcomes.every(hasPassed);
}

function print({ side, revision, id, checks }: Outcome): void {
  const failed = checks.filter(({ difference }) => difference !== undefined);
  const mark = failed.length === 0 ? "passed" : "FAILED";
  console.log(
    `${mark}  ${side} ${revision}  ${id.padEnd(42)} ${String(checks.length - failed.length).padStart(2)} checks`,
  );
  for (const { name, difference } of failed) console.log(`        ${name}: ${difference}`);
}
