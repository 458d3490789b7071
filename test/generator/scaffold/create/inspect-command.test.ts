import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSource } from "../../../../generator/openapi/source.ts";
import type { SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import { inspectCommand } from "../../../../generator/scaffold/create/project-view.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { projectOptions } from "../../../kit/projects.ts";

const document = {
  openapi: "3.0.3",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://shop.example" }],
  security: [{ token: [] }],
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "Pets" } } } } },
};

/* A process gets variables, an address gets headers: the inspector rejects the name of a variable that is not set. */
test.each<readonly [selection: SelectionText, given: string]>([
  [{}, " --env API_TOKEN"],
  [{ transport: "both" }, " --env API_TOKEN"],
  [{ transport: "http" }, ""],
  [{ transport: "http", auth: "api-key" }, " --header-env X-API-Key=KEY"],
  [{ transport: "both", auth: "api-key" }, " --env API_TOKEN"],
  [{ target: "worker", auth: "api-key" }, " --header-env X-API-Key=KEY"],
])("the inspector of a project with %j gets what its server needs", async (selection, given) => {
  const path = join(temporaryFolder(), "api.json");
  writeFileSync(path, JSON.stringify(document));
  const options = projectOptions({ selection, source: await readSource(path, {}) });
  expect(inspectCommand(options).split("inspect --open")[1]).toBe(given);
});
