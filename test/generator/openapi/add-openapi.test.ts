import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runRemove } from "../../../cli/commands/remove.ts";
import { formatTypeScript } from "../../../generator/internal/format.ts";
import { apiLockName } from "../../../generator/openapi/api-lock.ts";
import { readSource } from "../../../generator/openapi/source.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../kit/projects.ts";
import { both, json, limit, list, openProject, pet, petsOf, project, remove, show } from "./api-project.ts";

describe("a removed tool of an API", () => {
  test("`add openapi` leaves out a tool that was removed, until `--only` selects operations", async () => {
    const { add, read, lines, change, folder } = await project();
    await add();
    lines();
    expect(await runRemove({ kind: "tool", name: "listPets", folder })).toBe(0);
    const removed = lines().join("\n");
    expect(removed).toContain("GET /pets of ../pets.json gets no tool");
    expect(removed).toContain("Next: npx create-mcp-server add openapi ../pets.json, then npm test");
    change(petsOf({ "/pets": { ...list, ...remove }, "/pets/{id}": show }));
    expect(await add()).toBe(0);
    expect(lines().join("\n")).toMatch(/new +DELETE \/pets, tool deletePet/);
    expect(existsSync(join(folder, "src/pets/tools/list-pets.ts"))).toBe(false);
    expect(read("src/pets/tools.ts")).not.toContain("listPets");
    expect(read("test/pets-api.test.ts")).not.toContain("listPets");
    expect(await add({ check: true })).toBe(0);
    lines();
    expect(await add({ only: "*" })).toBe(0);
    expect(lines().join("\n")).toMatch(/new +GET \/pets, tool listPets/);
    expect(existsSync(join(folder, "src/pets/tools/list-pets.ts"))).toBe(true);
    expect(JSON.parse(read(apiLockName)).apis[0]).not.toHaveProperty("removed");
  });

  test("the last tool of an API leaves a test that has to be deleted, and an error that names --only", async () => {
    const { add, lines, folder } = await project(petsOf({ "/pets": list }));
    await add();
    lines();
    expect(await runRemove({ kind: "tool", name: "listPets", folder })).toBe(0);
    expect(lines().join("\n")).toContain("Next: delete test/pets-api.test.ts, then npm test");
    expect(await add()).not.toBe(0);
    expect(lines().join("\n")).toContain(
      "The tools of all operations of pets.json were removed; select operations with --only.",
    );
    expect(await add({ only: "*" })).toBe(0);
  });
});

describe("add openapi in a project", () => {
  test("`add openapi` writes tools, settings and a test, and registers them", async () => {
    const { add, read, lines } = await project(both, "zod");
    expect(await add()).toBe(0);
    const server = read("src/server.ts");
    expect(server).toContain('import { tools as petsTools } from "./pets/tools.ts";');
    expect(server).toContain('import { settings as petsSettings } from "./pets/settings.ts";');
    expect(server).toMatch(/tools: \[measureText, \.\.\.petsTools\]/);
    expect(server).toContain("settings: petsSettings");
    expect(read("src/pets/tools/list-pets.ts")).toContain('from "../../mcp/index.ts"');
    expect(read("src/pets/settings.ts")).toMatch(/PETS_TOKEN: \{[^}]*writeOnly: true/);
    expect(read("test/pets-api.test.ts")).toContain("process.env.PETS_BASE_URL =");
    expect(read("test/pets-api.test.ts")).toContain("delete process.env.PETS_BASE_URL;");
    expect(JSON.parse(read("package.json"))).toHaveProperty(["devDependencies", "@cfworker/json-schema"]);
    expect(read("src/mcp/index.ts")).toContain("createCfworkerValidator");
    expect(JSON.parse(read("manifest.json")).tools).toEqual([
      expect.objectContaining({ name: "measure_text" }),
      expect.objectContaining({ name: "listPets" }),
      expect.objectContaining({ name: "showPet" }),
    ]);
    expect(lines().join("\n")).toMatch(/new +GET \/pets, tool listPets[^]*PETS_TOKEN[^]*npm install/);
  });

  test("a second document has its own folder, settings and names", async () => {
    const { add, read, change, folder, lines } = await project();
    await add();
    change(petsOf({ "/orders": { get: { operationId: "listOrders", responses: json(pet) } } }), "openapi.json");
    const document = join(folder, "..", "openapi.json");
    expect(await add({ document }), lines().join("\n")).toBe(0);
    const server = read("src/server.ts");
    expect(server).toContain("...petsTools, ...petShopTools");
    expect(server).toContain("settings: [petsSettings, petShopSettings]");
    expect(read("src/pet-shop/settings.ts")).toContain("PET_SHOP_TOKEN");
    expect(await add({ document, check: true })).toBe(0);
    expect(await add({ check: true })).toBe(0);
  });

  test("a project that was created from a document has its lock, and its tools are updated by the document", async () => {
    const root = temporaryFolder();
    const folder = join(root, "demo");
    writeFileSync(join(root, "pets.json"), JSON.stringify(both));
    const source = await readSource(join(root, "pets.json"));
    const selection = { schema: "json", features: "tools" };
    writeFiles(folder, await emitFiles({ folder, revisions: ["2025-11-25"], selection, source }));
    const { add, change, read, lines } = openProject(root, both);
    expect(await add({ check: true }), lines().join("\n")).toBe(0);
    change(petsOf({ "/pets": list, "/pets/{id}": { ...show, ...remove } }));
    expect(await add()).toBe(0);
    expect(read("src/tools.ts")).toContain("deletePetTool");
    expect(read("src/server.ts").match(/tools\.ts"/g)).toHaveLength(1);
  });
});

describe("add openapi with a name that is in use", () => {
  test.each([
    ["a tool of the project", "measure_text", /src\/server\.ts:\d+ has a tool "measure_text" already.*--prefix pets_/],
    ["several", "measure_text,more", /has a tool/],
  ])("a tool with the name of %s is rejected, and nothing is written", async (_what, names, message) => {
    const paths = names.split(",").map((operationId) => [`/${operationId}`, { get: { operationId } }] as const);
    const { add, all, lines } = await project(petsOf(Object.fromEntries(paths)));
    const before = all();
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toMatch(message);
    expect(all()).toEqual(before);
    expect(await add({ prefix: "pets_" })).toBe(0);
    expect(await add({ check: true })).toBe(0);
    expect(all()["src/pets/tools.ts"]).toContain("petsMeasureText");
  });

  test("a tool with the name of another API's tool is rejected", async () => {
    const { add, change, folder, lines } = await project();
    await add();
    change(both, "other.json");
    expect(await add({ document: join(folder, "..", "other.json") })).toBe(2);
    expect(lines().join("\n")).toMatch(/the API pets has a tool "listPets" already \(1 more tools are there, too\)/);
  });

  test.each([
    ["../x", "cannot be the name of an API"],
    ["Pets", "cannot be the name of an API"],
    ["api", "cannot be the name of an API"],
    ["__proto__", "cannot be the name of an API"],
    ["mcp", "src/mcp exists already"],
  ])("the name %s of an API is rejected", async (name, message) => {
    const { add, all, lines } = await project();
    const before = all();
    expect(await add({ name })).toBe(2);
    expect(lines().join("\n")).toContain(message);
    expect(all()).toEqual(before);
  });

  test("a document with the name of an API from another document is rejected", async () => {
    const { add, folder, lines } = await project();
    await add();
    mkdirSync(join(folder, "spec"));
    const document = join(folder, "spec", "pets.json");
    writeFileSync(document, JSON.stringify(both));
    expect(await add({ document })).toBe(2);
    expect(lines().join("\n")).toContain("The API pets is from ../pets.json; --as pets updates it from spec/pets.json");
    expect(await add({ document, name: "pets" })).toBe(0);
    expect(await add({ document, check: true })).toBe(0);
  });

  test("a list of tools is rejected", async () => {
    const { add, lines } = await project({ tools: [{ name: "a" }] });
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain("describes no HTTP API");
  });
});

describe("add openapi after a change of the document", () => {
  const next = petsOf({
    "/pets": { get: { ...list.get, parameters: [limit, { ...limit, name: "page" }] }, ...remove },
  });

  test("the operations that are new, changed or gone are listed, and their files are updated", async () => {
    const { add, change, folder, read, lines } = await project();
    await add();
    lines();
    change(next);
    expect(await add()).toBe(0);
    const text = lines().join("\n");
    expect(text).toMatch(/^new +DELETE \/pets, tool deletePet$/m);
    expect(text).toMatch(/^changed +GET \/pets, tool listPets: parameters$/m);
    expect(text).toMatch(/^gone +GET \/pets\/\{id\}, tool showPet$/m);
    expect(read("src/pets/tools/list-pets.ts")).toContain("page: args.page");
    expect(existsSync(join(folder, "src/pets/tools/show-pet.ts"))).toBe(false);
    expect(read("src/pets/tools.ts")).not.toContain("showPet");
    expect(JSON.parse(read("manifest.json")).tools.map(({ name }: { name: string }) => name)).not.toContain("showPet");
    expect(await add({ check: true })).toBe(0);
  });

  test("a tool with another name takes the place of the former one in the manifest", async () => {
    const { add, change, read } = await project();
    await add();
    change(
      petsOf({
        "/pets": { get: { ...list.get, operationId: "showPet" } },
        "/pets/{id}": { get: { ...show.get, operationId: "findPet" } },
      }),
    );
    expect(await add()).toBe(0);
    const names = JSON.parse(read("manifest.json")).tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["showPet", "findPet"]));
    expect(names).not.toContain("listPets");
  });

  test("`--check` exits with 1 and `--dry-run` with 0, and neither writes anything", async () => {
    const { add, change, all, lines } = await project();
    await add();
    change(next);
    const before = all();
    lines();
    expect(await add({ check: true })).toBe(1);
    expect(lines().join("\n")).toMatch(/changed +GET \/pets[^]*write +src\/pets\/tools/);
    expect(await add({ dryRun: true })).toBe(0);
    expect(lines().join("\n")).toMatch(/remove +src\/pets\/tools\/show-pet\.ts/);
    expect(all()).toEqual(before);
  });

  test("an edited function stays, and the parameters around it are updated", async () => {
    const { add, change, read, write, lines } = await project();
    await add();
    const path = "src/pets/tools/list-pets.ts";
    write(path, read(path).replace(/execute: [^]*\n\}\);/, 'execute: async () => ({ name: "mine" }),\n});'));
    const api = "src/pets/api.ts";
    write(api, read(api).replace("timeout = 30_000", "timeout = 5_000"));
    lines();
    expect(await add({ check: true })).toBe(0);
    expect(lines().join("\n")).toMatch(
      /^kept +src\/pets\/tools\/list-pets\.ts: listPetsTool\.execute: your edit stays$/m,
    );
    change(next);
    expect(await add()).toBe(0);
    expect(lines().join("\n")).toMatch(/^conflict +src\/pets\/tools\/list-pets\.ts: listPetsTool\.execute/m);
    expect(read(path)).toContain('execute: async () => ({ name: "mine" })');
    expect(read(path)).toContain("page?: number");
    expect(read(path)).not.toContain("callApi");
    expect(read(api)).toContain("timeout = 5_000");
    expect(await add({ check: true })).toBe(0);
    expect(lines().join("\n")).not.toContain("conflict");
    expect(await add({ force: true })).toBe(0);
    expect(read(path)).toContain("callApi");
  });

  test("a file that was only formatted is updated, and one that is no longer generated stays if it was edited", async () => {
    const { add, change, folder, read, write, lines } = await project();
    await add();
    const formatted = "src/pets/tools/list-pets.ts";
    const own = (await formatTypeScript(read(formatted))).replaceAll('"', "'").replaceAll(/^ {2}/gm, "    ");
    write(formatted, own);
    expect(await add({ check: true })).toBe(0);
    expect(read(formatted)).toBe(own);
    const edited = "src/pets/tools/show-pet.ts";
    write(edited, `${read(edited)}\nexport const mine = 1;\n`);
    change(next);
    lines();
    expect(await add()).toBe(0);
    expect(read(formatted)).toContain("page: args.page");
    expect(existsSync(join(folder, edited))).toBe(true);
    expect(lines().join("\n")).toMatch(/^orphaned +src\/pets\/tools\/show-pet\.ts/m);
  });

  test("an edited file that is no longer generated is removed without its edit, and merged if its operation comes back", async () => {
    const { add, change, folder, read, write } = await project();
    await add();
    const path = "src/pets/tools/show-pet.ts";
    const before = read(path);
    const edited = before.replace('description: "', 'description: "Mine: ');
    write(path, edited);
    change(next);
    await add();
    change(both);
    expect(await add()).toBe(0);
    expect(read(path)).toBe(edited);
    expect(read("src/pets/tools.ts")).toContain("showPet");
    change(next);
    await add();
    write(path, before);
    expect(await add()).toBe(0);
    expect(existsSync(join(folder, path))).toBe(false);
    expect(await add({ check: true })).toBe(0);
  });

  test("a file that is not TypeScript any more stays as a whole", async () => {
    const { add, change, read, write, lines } = await project();
    await add();
    write("src/pets/tools/list-pets.ts", "const = ;");
    change(next);
    lines();
    expect(await add()).toBe(0);
    expect(read("src/pets/tools/list-pets.ts")).toBe("const = ;");
    expect(lines().join("\n")).toMatch(/^conflict +src\/pets\/tools\/list-pets\.ts: your edit stays/m);
  });

  test("files with CRLF line endings count as unedited, and keep them", async () => {
    const { add, change, read, write, all } = await project();
    await add();
    for (const path of Object.keys(all()).filter((one) => one.endsWith(".ts")))
      write(path, read(path).replaceAll("\n", "\r\n"));
    expect(await add({ check: true })).toBe(0);
    change(next);
    expect(await add()).toBe(0);
    expect(read("src/pets/tools/list-pets.ts")).toMatch(/page: args\.page[^]*\r\n/);
    expect(await add({ check: true })).toBe(0);
  });

  test("the selection, the prefix and the mode of the first run stay, and a word that matches nothing any more is accepted", async () => {
    const { add, change, read, lines } = await project();
    expect(await add({ only: "listPets,showPet", prefix: "my_", output: "none" })).toBe(0);
    change(petsOf({ "/pets": { ...list, ...remove } }));
    lines();
    expect(await add()).toBe(0);
    const text = lines().join("\n");
    expect(text).toMatch(/gone +GET \/pets\/\{id\}/);
    expect(text).not.toContain("deletePet");
    expect(read("src/pets/tools/my-list-pets.ts")).not.toContain("outputSchema");
    expect(await add({ only: "nothing" })).toBe(2);
  });

  test("a file of the user is never replaced by a new one", async () => {
    const { add, change, read, write, lines } = await project();
    await add();
    write("src/pets/tools/delete-pet.ts", "// mine");
    change(next);
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain("src/pets/tools/delete-pet.ts exists already");
    expect(read("src/pets/tools/delete-pet.ts")).toBe("// mine");
    expect(read("src/pets/tools/list-pets.ts")).not.toContain("page");
  });
});

describe("add openapi with a broken project", () => {
  test.each([
    ["no JSON", "{", "is not a lock file"],
    ["a path that leads out of the project", "../../evil.ts", "is not a lock file"],
    ["an absolute path", "/etc/passwd", "is not a lock file"],
  ])("a lock file with %s is rejected", async (_what, path, message) => {
    const { add, write, read, lines } = await project();
    await add();
    const text = path === "{" ? path : read(apiLockName).replace("src/pets/api.ts", path);
    write(apiLockName, text);
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain(message);
    expect(read(apiLockName)).toBe(text);
  });

  test("a server without a list of tools is rejected, and nothing is written", async () => {
    const { add, write, read, all, lines } = await project();
    write("src/server.ts", read("src/server.ts").replace("tools: [measureText]", "tools"));
    const before = all();
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain('is not a list in brackets; write "tools: [...tools]"');
    expect(all()).toEqual(before);
  });

  test("a folder that is not a project is rejected", async () => {
    const { add, folder, lines } = await project();
    rmSync(join(folder, "src", "mcp"), { recursive: true });
    expect(await add()).toBe(2);
    expect(lines().join("\n")).toContain("is not a project");
  });
});
