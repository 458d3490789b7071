import { pathToFileURL } from "node:url";
import { isObject } from "../../generated/support.ts";
import { serveStdio } from "../server/run/serve-stdio.ts";
import type { Server } from "../server/create-server.ts";

/*
 * Serves the server that a module exports on stdin and stdout: `node serve-module.js path/to/server.js`. A module that exports none serves by itself.
 */

const [file] = process.argv.splice(2, 1);
if (file === undefined) throw new Error("The path of a module is required");
const exported: unknown = await import(pathToFileURL(file).href);
const server = isObject(exported) ? Object.values(exported).find(isServer) : undefined;
if (server) serveStdio(server);

function isServer(value: unknown): value is Server {
  if (!isObject(value) || !Array.isArray(value.revisions) || !isObject(value.info)) return false;
  return typeof value.implement === "function" && typeof value.join === "function";
}
