import { describe, expect, test } from "vitest";
import { limit, list, petsOf, project, show } from "./api-project.ts";

describe("edits of generated files", () => {
  test("edits of a tool stay when only the case of its operationId changes", async () => {
    const named = (operationId: string): object =>
      petsOf({ "/pets": list, "/pets/{id}": { get: { ...show.get, operationId } } });
    const { add, change, read, write, lines } = await project(named("showPetByID"));
    await add();
    const path = "src/pets/tools/show-pet-by-id.ts";
    const edited = read(path).replace('description: "', 'description: "Mine: ').replace('"GET"', '"HEAD"');
    write(path, edited);
    change(named("showPetById"));
    lines();
    expect(await add()).toBe(0);
    expect(read(path)).toBe(edited.replaceAll("howPetByID", "howPetById"));
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
});
