#!/usr/bin/env node
// Runs create-mcp-server from the clone that this project was made with, so that `npx create-mcp-server` works here.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { clone } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const folder = process.env.CREATE_MCP_SERVER ?? clone;
const program = join(folder, "dist", "bundle", "generator", "cli.js");

if (existsSync(program)) {
  await import(pathToFileURL(program).href);
} else {
  console.error(`create-mcp-server: ${program} does not exist.`);
  console.error("Set CREATE_MCP_SERVER to the folder of a clone, and run `npm install` in that folder once.");
  process.exitCode = 2;
}
