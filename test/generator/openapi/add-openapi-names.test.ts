import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiLockName } from "../../../generator/openapi/api-lock.ts";
import { json, pet, petsOf, project } from "./api-project.ts";

/** Path whose name as a tool is cut before its end. */
const long = (end: string): string => `/${"segment/".repeat(8)}${end}`;
const cut = `get_${"segment_".repeat(7)}`;

const operation = (operationId?: string): object => ({ get: { operationId, responses: json(pet) } });

describe("names of tools after a change of the document", () => {
  test.each([
    {
      what: "paths that are cut",
      before: { [long("b")]: operation(), [long("c")]: operation() },
      after: { [long("a")]: operation(), [long("c")]: operation(), [long("b")]: operation() },
      names: { [long("b")]: cut, [long("c")]: `${cut}2`, [long("a")]: `${cut}3` },
    },
    {
      what: "repeated operationIds",
      before: { "/b": operation("list"), "/c": operation("list") },
      after: { "/a": operation("List"), "/b": operation("list"), "/c": operation("list") },
      names: { "/b": "list", "/c": "list2", "/a": "List3" },
    },
    {
      what: "a repeated operationId whose first operation is gone",
      before: { "/b": operation("list"), "/c": operation("list") },
      after: { "/a": operation("show"), "/c": operation("list") },
      names: { "/c": "list2", "/a": "show" },
    },
    {
      what: "an operationId that another operation has now",
      before: { "/b": operation("list"), "/c": operation("show") },
      after: { "/b": operation("show"), "/c": operation("find") },
      names: { "/b": "show", "/c": "find" },
    },
    {
      what: "an operationId that loses its number",
      before: { "/b": operation("getV1") },
      after: { "/b": operation("getV") },
      names: { "/b": "getV" },
    },
  ])("an operation keeps its name, and new ones get others: $what", async ({ before, after, names }) => {
    const { add, change, read } = await project(petsOf(before));
    await add();
    change(petsOf(after));
    expect(await add()).toBe(0);
    const operations: Record<string, { tool: string }> = JSON.parse(read(apiLockName)).apis[0].operations;
    const found = Object.entries(operations).map(([place, { tool }]) => [place.replace("GET ", ""), tool]);
    expect(found).toEqual(Object.entries(names));
    expect(await add({ check: true })).toBe(0);
  });

  test.each([
    ["listPets", "list_pets"],
    ["list_pets", "listPets"],
  ])("the file of a tool %s stays when a new tool %s would have the same file name", async (known, added) => {
    const { add, change, read, write } = await project(petsOf({ "/b": operation(known) }));
    await add();
    const path = "src/pets/tools/list-pets.ts";
    const edited = read(path).replace('description: "', 'description: "Mine: ');
    write(path, edited);
    change(petsOf({ "/a": operation(added), "/b": operation(known) }));
    expect(await add()).toBe(0);
    expect(read(path)).toBe(edited);
    expect(read("src/pets/tools/list-pets2.ts")).toContain(`name: "${added}"`);
  });
});

test("a folder gets another name than a device of Windows", async () => {
  const { add, all } = await project();
  expect(await add({ name: "con" })).toBe(0);
  const files = all();
  expect(Object.keys(files).filter((path) => path.split(/[/\\]/).includes("con"))).toEqual([]);
  expect(files[join("src", "con-api", "tools.ts")]).toContain("listPets");
  expect(files[join("src", "server.ts")]).toContain('from "./con-api/tools.ts"');
  expect(await add({ name: "con", check: true })).toBe(0);
});
