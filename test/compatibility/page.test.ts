import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatPage, readPage } from "../kit/docs-page.ts";
import { renderPage, type ClientResults, type Results } from "./page.ts";
import type { ClientPackage } from "./try-client.ts";
import type { ServerPackage } from "./try-server.ts";

const read = <Value>(name: string): Value => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

test("the page about compatibility shows the results of the last runs, for every server and client of the lists", async () => {
  const results = read<Results>("results.json");
  const clientResults = read<ClientResults>("client-results.json");
  expect(readPage("compatibility.md")).toBe(await formatPage(renderPage(results, clientResults)));
  expect(packagesOf(results.servers)).toEqual(packagesOf(read<readonly ServerPackage[]>("servers.json")));
  expect(packagesOf(clientResults.clients)).toEqual(packagesOf(read<readonly ClientPackage[]>("clients.json")));
});

const packagesOf = (list: readonly { readonly package: string }[]): string[] => list.map(({ package: name }) => name);
