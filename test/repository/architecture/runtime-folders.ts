import { readRuntimeExports } from "../../../.build/runtime-exports.ts";

/** Folders of the runtime that each folder may import. All of them may import `generated/support.ts`. */
const runtimeFolders: Readonly<Record<string, readonly string[]>> = {
  // Helpers that know no protocol.
  internal: [],
  // Messages, errors and limits of JSON-RPC; no revision.
  jsonrpc: ["internal"],
  // Rules of MCP that both roles share.
  protocol: ["internal", "jsonrpc"],
  framing: ["internal", "jsonrpc"],
  stores: ["internal", "jsonrpc", "protocol"],
  lifecycle: ["internal", "jsonrpc", "protocol"],
  transport: ["internal", "jsonrpc", "protocol", "framing", "stores"],
  // Conventions of a community, for either role.
  compatibility: ["internal", "jsonrpc", "protocol"],
  // Both roles may run tasks.
  tasks: ["internal", "jsonrpc", "protocol", "stores"],
  // Folders of text for models: reading and checking.
  skills: ["internal", "jsonrpc", "protocol", "framing"],
  server: ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "transport", "tasks", "skills"],
  client: ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "transport", "tasks", "skills"],
  // Reached by entry points of its own only: a server or a client without authorization never loads it.
  auth: ["internal", "jsonrpc", "protocol", "framing", "stores", "transport", "server"],
  // Public descriptions of servers, for either role; they have entry points of their own.
  "server-card": ["internal", "jsonrpc", "protocol", "framing", "transport", "auth"],
  // For the tests of users: both roles at once, and reached by its own entry point only.
  testing: ["internal", "jsonrpc", "protocol", "framing", "lifecycle", "transport", "server", "client"],
  // Development of a server: bundles its sources, and swaps its definition. It has entry points of its own.
  dev: ["internal", "jsonrpc", "protocol", "stores", "lifecycle", "transport", "server"],
  // Bundles a server for users; it has an entry point of its own.
  build: ["dev"],
  // A client of one server that is a server to others; it has an entry point of its own.
  gateway: [
    "internal",
    "jsonrpc",
    "protocol",
    "framing",
    "stores",
    "lifecycle",
    "transport",
    "server",
    "client",
    "tasks",
  ],
  // State that the nodes of a cluster share; it has an entry point of its own.
  scale: ["internal", "jsonrpc", "protocol", "framing", "stores", "transport"],
  // Figures of a process and of its engine; it has an entry point of its own.
  metrics: ["internal", "jsonrpc", "stores", "transport"],
  // Bindings to libraries that a user may have: only their own entry points import them.
  adapters: ["internal", "jsonrpc", "protocol", "server", "client", "auth", "stores", "scale"],
};

/** Folders that run on platforms without the modules of Node.js. */
const withoutNode = ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "compatibility"];

/** Files outside the adapters that import a library. */
const libraryImporters: readonly string[] = [
  "runtime/transport/websocket/ws-package.ts",
  "runtime/auth/client/identity/keys.ts",
  "runtime/auth/client/tokens/oauth.ts",
  "runtime/build/bundle-server.ts",
];

/** Entries of the package `mcp-server-runtime`. */
const entries = Object.values(readRuntimeExports("."));

/** Folders that only their own entries import. */
const isolatedFolders = ["adapters", "testing", "dev", "build", "auth", "gateway", "scale", "metrics", "server-card"];

/** True if a file of the runtime may import another file or a package. */
export function isAllowedInRuntime(path: string, folder: string, target: string): boolean {
  if (isSharedByGenerated(target)) return true;
  // Entries of the package only re-export; no other file imports them.
  const isEntry = entries.includes(path) && !isolatedFolders.includes(folder);
  if (/^runtime\/(.*\/)?index\.ts$/.test(target)) return false;
  // Only the feature of an extension imports its methods: they are not those of every revision.
  if (target.startsWith("generated/extensions/"))
    return /^runtime\/server\/\w+\/[\w-]*feature\.ts$/.test(path) || path === "runtime/gateway/extensions.ts";
  if (target.startsWith("node:")) return !withoutNode.includes(folder);
  // Two programs load the module of a user.
  if (target === "(computed)")
    return path === "runtime/gateway/serve-module.ts" || path === "runtime/dev/load-module.ts";
  const targetFolder = /^runtime\/([^/]+)\//.exec(target)?.[1];
  if (targetFolder === undefined)
    return isAdapter(path) && !target.startsWith("generated/") && !target.startsWith("generator/");
  if (isEntry) return !isolatedFolders.includes(targetFolder);
  return targetFolder === folder || (runtimeFolders[folder]?.includes(targetFolder) ?? false);
}

/** True for the modules that all generated files may import. */
export function isSharedByGenerated(target: string): boolean {
  return target === "generated/support.ts" || target === "generated/convert-support.ts";
}

/** True for files that import a library which a user installs: the adapters, the WebSocket server, builds and authorization. */
function isAdapter(path: string): boolean {
  return path.startsWith("runtime/adapters/") || libraryImporters.includes(path);
}
