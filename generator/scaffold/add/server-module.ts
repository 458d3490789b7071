import { existsSync } from "node:fs";
import { join } from "node:path";

/** Returns the path of the module that defines the server of a project, relative to the project. */
export function findServerModule(project: string): string {
  return places.find((path) => existsSync(join(project, path))) ?? "src/server.ts";
}

/** Modules besides `src/server.ts` that may define a server: of projects over HTTP, and of applications that `init` has added one to. */
const places = ["src/definition.ts", "src/mcp-server.ts"];

/** True if a project has the client that generated tests use. An application that `init` has added a server to has none. */
export function hasTestClient(project: string): boolean {
  return existsSync(join(project, "test", "client.ts"));
}
