import { existsSync } from "node:fs";
import { join } from "node:path";

/** Returns the path of the module with the server, relative to the project. */
export function findServerModule(project: string): string {
  return places.find((path) => existsSync(join(project, path))) ?? "src/server.ts";
}

/** Other modules than `src/server.ts` with a server: in projects over HTTP, and in applications after `init`. */
const places = ["src/definition.ts", "src/mcp-server.ts"];

/** True if a project has the client for generated tests. An application extended by `init` has none. */
export function hasTestClient(project: string): boolean {
  return existsSync(join(project, "test", "client.ts"));
}
