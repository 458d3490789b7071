import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { expect, test } from "vitest";
import { renderPage, type Results } from "./page.ts";
import type { ServerPackage } from "./try-server.ts";

const read = <Value>(name: string): Value => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

test("the page about compatibility shows the results of the last run, for every server of the list", async () => {
  const results = read<Results>("results.json");
  const page = join(import.meta.dirname, "..", "..", "docs", "compatibility.md");
  expect(readFileSync(page, "utf8")).toBe(await format(renderPage(results), { parser: "markdown", printWidth: 120 }));
  const servers = read<readonly ServerPackage[]>("servers.json");
  expect(results.servers.map((server) => server.package)).toEqual(servers.map((server) => server.package));
});
