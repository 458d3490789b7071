import process from "node:process";
import { expect, test } from "vitest";
import { SourceWatcher } from "../../../tools/dev/source-watcher.ts";

const countWatchers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "FSEventWrap").length;

test("a closed watcher watches no folder of a build that ends later", async () => {
  const before = countWatchers();
  const sources = new SourceWatcher(() => {});
  sources.add([import.meta.filename]);
  expect(countWatchers()).toBe(before + 1);
  sources.close();
  sources.add([import.meta.filename]);
  await expect.poll(countWatchers).toBe(before);
});
