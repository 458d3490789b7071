#!/usr/bin/env node
// Runs create-mcp-server from the clone that this project was made with, so that `npx create-mcp-server` works here.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Git ignores the path of the clone: it is one of this machine.
const place = new URL("clone.json", import.meta.url);
const { clone = "" } = existsSync(place) ? JSON.parse(readFileSync(place, "utf8")) : {};
const folder = process.env.CREATE_MCP_SERVER ?? clone;
const program = join(folder, "dist", "bundle", "generator", "cli.js");

if (folder !== "" && existsSync(program)) {
  await import(pathToFileURL(program).href);
} else {
  console.error(
    `create-mcp-server: ${folder === "" ? "no clone of its repository is known" : `${program} does not exist`}.`,
  );
  console.error("Set CREATE_MCP_SERVER to the folder of a clone, and run `npm install` in that folder once.");
  process.exitCode = 2;
}
