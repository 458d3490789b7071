import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { chooseRevisions, readCatalogue } from "../../generator/create/catalogue.ts";
import { emitProject } from "../../generator/create/project-files.ts";
import { readSelection } from "../../generator/create/project-choices.ts";
import { packageRoot } from "../../generator/package-info.ts";
import { temporaryFolder } from "./folder.ts";

interface Link {
  exchange(message: { id?: number; method: string }): Promise<unknown>;
  end(): Promise<number | null>;
}

interface Links {
  readonly links: Readonly<Record<string, (revision: string) => Promise<Link>>>;
}

const project = await emitProject({
  folder: "/home/me/demo",
  name: "demo",
  revisions: chooseRevisions("latest", readCatalogue(packageRoot)),
  selection: readSelection({ extras: "none", transport: "both" }),
  manager: "npm",
  version: "1.2.3",
  packageFolder: packageRoot,
});

/** The ways to a server that the tests of a new project have, with this program as the server. */
async function linksTo(program: string): Promise<Links["links"]> {
  const folder = temporaryFolder();
  for (const name of ["test", "dist"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "test", "links.ts"), project.get("test/links.ts") ?? "");
  writeFileSync(join(folder, "dist", "server.js"), program);
  const { links }: Links = await import(pathToFileURL(join(folder, "test", "links.ts")).href);
  return links;
}

test("an answer that comes with others at once is found", async () => {
  const links = await linksTo(`
    process.stdin.on("data", () => {
      const lines = [{ method: "notifications/message" }, { method: "notifications/progress" }, { id: 1, result: {} }];
      process.stdout.write(lines.map((line) => JSON.stringify(line) + "\\n").join(""));
    }).on("end", () => process.exit());`);
  const link = await links.stdio?.("any");
  expect(await link?.exchange({ id: 1, method: "ping" })).toEqual({ id: 1, result: {} });
  expect(await link?.end()).toBe(0);
});

test.each(["stdio", "http"])("a server that ends instead of answering is told at once over %s", async (over) => {
  const links = await linksTo(`console.error("no DATABASE_URL"); process.exitCode = 3;`);
  const ask = async (): Promise<unknown> => {
    const link = await links[over]?.("any");
    return link?.exchange({ id: 1, method: "ping" });
  };
  await expect(ask()).rejects.toThrow("the server ended with code 3");
});

const { platform } = process;
afterEach(() => Object.defineProperty(process, "platform", { value: platform }));

test.each([
  ["win32", "a server over HTTP is ended there, which is no failure", 0],
  ["linux", "a server that does not end by itself is told by its missing code", null],
])("on %s %s", async (value, _, code) => {
  const links = await linksTo(`
    import { createServer } from "node:http";
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1", () =>
      console.error("http://127.0.0.1:" + server.address().port));`);
  const link = await links.http?.("any");
  Object.defineProperty(process, "platform", { value });
  expect(await link?.end()).toBe(code);
});
