import { join } from "node:path";
import { expect, test } from "vitest";
import { run, tour } from "./journey.ts";

/* Commands of the guides that change nothing in a project, and the end of what they print. */

const demo = join(tour.home, "demo");
const elsewhere = tour.home;

test.each<readonly [folder: string, line: string, prints: RegExp]>([
  [elsewhere, "npx --no-install create-mcp --version", /^\d+\.\d+\.\d+\n$/],
  [demo, "npx create-mcp-server check dist/server.js", /0 errors/],
  [demo, "npx create-mcp-server update --dry-run --protocol 2025-11-25", /files would be written or removed/],
  [demo, "npx create-mcp-server update --check", /All generated files are up to date/],
  [demo, "npx create-mcp-server explain dist/server.js --protocol 2024-11-05", /for a client of 2024-11-05/],
  [demo, "npx create-mcp-server docs", /^ *first-server +/m],
  [demo, "npx create-mcp-server docs testing", /^# Testing/],
  [demo, "npx create-mcp-server docs client-api", /^# Client API/],
  [demo, "npx create-mcp-server docs low-level", /^# Low level/],
  [demo, "npx create-mcp-server docs community-profile", /^# Community profile/],
  [elsewhere, "npx create-mcp-server docs from-official-sdk", /^# Coming from the official SDK/],
  [elsewhere, "npx create-mcp-server docs from-fastmcp", /^# Coming from FastMCP/],
])("in %s, `%s` prints %s", async (folder, line, prints) => {
  expect(await run(folder, line)).toMatch(prints);
});
