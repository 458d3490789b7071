import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { createOverlayReader } from "../../../generator/read/overlay.ts";
import { readPackagedModels } from "../../../generator/read/packaged-models.ts";
import { readRevision } from "../../../generator/read/revision.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

const spec = join(packageRoot, "spec");
const { pins } = await openSpecFolder(spec);
const packaged = await readPackagedModels();
const [oldest = "", ...others] = pins.keys();

function copySpec(): string {
  const folder = join(temporaryFolder(), "copy");
  cpSync(spec, folder, { recursive: true });
  return folder;
}

test.each([...pins])("the build stores the model of %s as it is read from its schema", (id, { status, commit }) => {
  const read = (name: string): string => readFileSync(join(spec, name), "utf8");
  const overlay = { path: "overlay.json", text: read(`${id}/overlay.json`) };
  const model = readRevision({
    id,
    status,
    schema: { path: `spec/${id}/schema.ts`, text: read(`${id}/schema.ts`) },
    overlay: { path: overlay.path, value: createOverlayReader(read("overlay.schema.json"))(overlay) },
    ...(commit !== undefined && { commit }),
  });
  expect([...(packaged?.byDigest.values() ?? [])].find((stored) => stored.id === id)).toEqual(
    JSON.parse(JSON.stringify(model)),
  );
});

test("unchanged revisions of another spec folder have the models that the build stored", async () => {
  const folder = copySpec();
  appendFileSync(join(folder, oldest, "schema.ts"), "\nexport interface Added { extra: string }\n");
  const { readModel } = await openSpecFolder(folder);
  expect((await readModel(oldest)).declarations.map(({ name }) => name)).toContain("Added");
  const stored = new Set([...(packaged?.byDigest.values() ?? [])].map((model) => JSON.stringify(model)));
  for (const id of others) expect(stored).toContain(JSON.stringify(await readModel(id)));
});

test.each([
  ["schema.ts", (text: string) => text.replace('"2.0"', '"2.1"')],
  ["overlay.json", (text: string) => text.replace(/^\{/, '{"removed": 1,')],
])("a revision with another %s is read again", async (name, change) => {
  const folder = copySpec();
  const path = join(folder, oldest, name);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  const { readModel } = await openSpecFolder(folder);
  const before = JSON.stringify([...(packaged?.byDigest.values() ?? [])][0]);
  expect(JSON.stringify(await readModel(oldest).catch(String))).not.toBe(before);
});

test("a revision with another pin or another schema of overlays is read again", async () => {
  const folder = copySpec();
  const path = join(folder, "pins.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"released"', '"draft"'));
  expect((await (await openSpecFolder(folder)).readModel(oldest)).status).toBe("draft");
  writeFileSync(join(folder, "overlay.schema.json"), '{"not": {}}');
  await expect((await openSpecFolder(folder)).readModel(others.at(-1) ?? "")).rejects.toThrow("overlay.json");
});
