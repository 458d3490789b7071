import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyProject, edit, run } from "./journey.ts";

const project = copyProject("settings");
const source = join(project, "src", "definition.ts");

test("settings are listed in the README, checked, and shown by `--help`", async () => {
  writeFileSync(
    join(project, "src", "settings.ts"),
    `import * as z from "zod";
import { defineSettings } from "./mcp/index.ts";

export const settings = defineSettings(z.object({ NOTES_LIMIT: z.int().default(20).describe("Number of results") }));
`,
  );
  edit(source, "\n\n", '\nimport { settings } from "./settings.ts";\n\n');
  edit(source, 'version: "0.1.0",', 'version: "0.1.0",\n    settings,');
  await run(project, "npm run build");
  expect(await run(project, "npx create-mcp-server settings --check", 1)).toContain("README.md");
  await run(project, "npx create-mcp-server settings");
  await run(project, "npx create-mcp-server settings --check");
  expect(readFileSync(join(project, "README.md"), "utf8")).toContain("NOTES_LIMIT");
  expect(readFileSync(join(project, ".env.example"), "utf8")).toContain("# Number of results\n# NOTES_LIMIT=20\n");
  expect(await run(project, "node dist/server.js --help")).toMatch(/NOTES_LIMIT.*Number of results/);
});
