import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { both, limit, list, petsOf, project, show } from "./api-project.ts";

describe("edits of generated files", () => {
  test("edits of a tool stay when only the case of its operationId changes", async () => {
    const named = (operationId: string): object =>
      petsOf({ "/pets": list, "/pets/{id}": { get: { ...show.get, operationId } } });
    const { add, change, read, write, lines } = await project(named("showPetByID"));
    await add();
    const path = "src/pets/tools/show-pet-by-id.ts";
    const edited = read(path).replace('description: "', 'description: "Mine: ').replace('"GET"', '"HEAD"');
    const own = (name: string): string => `\nexport const own = { showPetByIDTool${name}, text: "showPetByIDTool" };\n`;
    write(path, edited + own(""));
    change(named("showPetById"));
    lines();
    expect(await add()).toBe(0);
    expect(read(path)).toBe(edited.replaceAll("howPetByID", "howPetById") + own(": showPetByIdTool"));
    const text = lines().join("\n");
    expect(text).toMatch(/^kept +src\/pets\/tools\/show-pet-by-id\.ts: showPetByIdTool\.description/m);
    expect(text).toMatch(/^conflict +src\/pets\/tools\/show-pet-by-id\.ts: showPetByIdTool\.execute/m);
    expect(await add({ check: true })).toBe(0);
  });

  test("an edited tool with a parameter of the style deepObject keeps the import of its function", async () => {
    const range = { name: "range", in: "query", style: "deepObject", schema: { type: "object" } };
    const ranged = (more: object[]): object =>
      petsOf({ "/pets": { get: { ...list.get, parameters: [range, ...more] } } });
    const { add, change, read, write } = await project(ranged([]));
    await add();
    const path = "src/pets/tools/list-pets.ts";
    write(path, read(path).replace('description: "', 'description: "Mine: '));
    change(ranged([limit]));
    expect(await add()).toBe(0);
    expect(read(path)).toContain("limit: args.limit");
    expect(read(path)).toMatch(/import \{[^}]* toDeep\b[^}]*\} from "..\/api.ts"[^]*\.\.\.toDeep\(/);
  });

  test("the test of an API stays and is updated when the client of the tests was moved", async () => {
    const { add, change, folder, read } = await project(petsOf({ "/pets": list }));
    await add();
    renameSync(join(folder, "test", "client.ts"), join(folder, "test", "mcp-client.ts"));
    change(both);
    expect(await add()).toBe(0);
    expect(read("test/pets-api.test.ts")).toContain("showPet");
  });

  test("a moved file of a tool is rejected with its former path, and one of the user with advice about names", async () => {
    const { add, folder, read, write, lines, all } = await project();
    await add();
    const path = "src/pets/tools/list-pets.ts";
    const moved = "src/pets/tools/pets/list.ts";
    write(moved, read(path).replaceAll('"../', '"../../'));
    rmSync(join(folder, path));
    const before = all();
    lines();
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toMatch(
      /Nothing was written: src\/pets\/tools\/pets\/list\.ts:\d+ has the generated tool "listPets"; move the file back to src\/pets\/tools\/list-pets\.ts$/m,
    );
    expect(all()).toEqual(before);
    write(path, read(moved));
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain("--prefix pets_");
  });
});
