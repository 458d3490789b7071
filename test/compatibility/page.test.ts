import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatPage, readPage } from "../docs-page.ts";
import { renderPage, type Results } from "./page.ts";
import type { ServerPackage } from "./try-server.ts";

const read = <Value>(name: string): Value => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

test("the page about compatibility shows the results of the last run, for every server of the list", async () => {
  const results = read<Results>("results.json");
  expect(readPage("compatibility.md")).toBe(await formatPage(renderPage(results)));
  const servers = read<readonly ServerPackage[]>("servers.json");
  expect(results.servers.map((server) => server.package)).toEqual(servers.map((server) => server.package));
});
