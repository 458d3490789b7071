import { readRuntimeExports } from "../../../.build/runtime-exports.ts";
import { isOfRuntime } from "./rooms.ts";

/**
 * Folders of the package `mcp-server-runtime` that each of its folders may import. Names without a room are in `runtime/`. All of them may import
 * `generated/support.ts`.
 */
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
  "tools/dev": ["internal", "jsonrpc", "protocol", "stores", "lifecycle", "transport", "server"],
  // Bundles a server for users; it has an entry point of its own.
  "tools/build": ["tools/dev"],
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
  cluster: ["internal", "jsonrpc", "protocol", "framing", "stores", "transport"],
  // Figures of a process and of its engine; it has an entry point of its own.
  "cluster/metrics": ["internal", "jsonrpc", "stores", "transport", "cluster"],
  // Bindings to libraries that a user may have: only their own entry points import them.
  adapters: ["internal", "jsonrpc", "protocol", "server", "client", "auth", "stores"],
  "cluster/redis": ["internal", "jsonrpc", "protocol", "stores", "cluster"],
  "cluster/nats": ["internal", "jsonrpc", "protocol", "stores", "cluster"],
};

/** Folders that run on platforms without the modules of Node.js. */
const withoutNode = ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "compatibility"];

/** Files outside the adapters that import a library. */
const libraryImporters: readonly string[] = [
  "runtime/transport/websocket/ws-package.ts",
  "runtime/auth/client/identity/keys.ts",
  "runtime/auth/client/tokens/oauth.ts",
  "tools/build/bundle-server.ts",
];

/** Entries of the package `mcp-server-runtime`. */
const entries = Object.values(readRuntimeExports("."));

/** Folders that only their own entries import. */
const isolatedFolders = [
  ...["adapters", "testing", "auth", "gateway", "server-card"],
  ...["cluster", "cluster/metrics", "cluster/redis", "cluster/nats", "tools/dev", "tools/build"],
];

/**
 * Files that may import the folders of the extensions of this package, beside entries: they compose servers, or type their definitions. Other code
 * knows an extension by its tables only, like one of a user.
 */
const extensionImporters: Readonly<Record<string, readonly string[]>> = {
  skills: ["runtime/server/create-server.ts", "runtime/server/definition.ts"],
  apps: ["runtime/server/create-server.ts", "runtime/server/for-revisions.ts"],
  // Tasks are in the core of one revision as well: there, calls, contexts, sessions and the gateway know them.
  tasks: [
    ...["client/handlers.ts", "client/options.ts", "client/protocol-types.ts", "client/input/response-scope.ts"],
    ...["client-session.ts", "default-session.ts", "requests.ts", "session-state.ts"].map(
      (name) => `client/session/${name}`,
    ),
    ...["client-acceptor.ts", "extensions.ts", "gateway.ts"].map((name) => `gateway/${name}`),
    ...["proxies.ts", "session-proxy.ts", "stateless-proxy.ts"].map((name) => `gateway/proxy/${name}`),
    ...["call-connections.ts", "shared-pool.ts", "upstream.ts"].map((name) => `gateway/upstream/${name}`),
    ...["context.ts", "create-server.ts", "definition.ts", "protocol-types.ts"].map((name) => `server/${name}`),
    ...["input-runner.ts", "send-input-request.ts", "steps.ts"].map((name) => `server/input/${name}`),
    "server/methods/served-handlers.ts",
  ].map((path) => `runtime/${path}`),
};

/** Returns the extension of this package to whose folders a file belongs. */
function extensionOf(path: string): string | undefined {
  return /^runtime\/(?:(?:client|gateway|server)\/)?(tasks|skills|apps)\//.exec(path)?.[1];
}

/** True if a file of the package may import another file or a package. */
export function isAllowedInRuntime(path: string, target: string): boolean {
  const folder = folderOf(path) ?? "";
  if (isSharedByGenerated(target)) return true;
  const extension = extensionOf(target);
  if (extension !== undefined && extensionOf(path) === undefined && !entries.includes(path))
    if (!extensionImporters[extension]?.includes(path)) return false;
  // Entries of the package only re-export; no other file imports them.
  const isEntry = entries.includes(path) && !isolatedFolders.includes(folder);
  if (isOfRuntime(target) && target.endsWith("/index.ts")) return false;
  // Only the feature of an extension imports its methods: they are not those of every revision.
  if (target.startsWith("generated/extensions/"))
    return /^runtime\/server\/\w+\/[\w-]*feature\.ts$/.test(path) || path === "runtime/gateway/extensions.ts";
  if (target.startsWith("node:")) return !withoutNode.includes(folder);
  // Two programs load the module of a user.
  if (target === "(computed)") return path === "runtime/gateway/serve-module.ts" || path === "tools/dev/load-module.ts";
  const targetFolder = folderOf(target);
  if (targetFolder === undefined) return isAdapter(path) && !/^(generated|generator|tools|cli)\//.test(target);
  if (isEntry) return !isolatedFolders.includes(targetFolder);
  return targetFolder === folder || (runtimeFolders[folder]?.includes(targetFolder) ?? false);
}

/** Returns the folder of a file of the package, as the table of this module names it. */
function folderOf(path: string): string | undefined {
  const [, inRuntime, ofTable] =
    /^(?:runtime\/([^/]+)|(cluster\/(?:metrics|redis|nats)|tools\/(?:dev|build)|cluster))\//.exec(path) ?? [];
  return inRuntime ?? ofTable;
}

/** True for the modules that all generated files may import. */
export function isSharedByGenerated(target: string): boolean {
  return target === "generated/support.ts" || target === "generated/convert-support.ts";
}

/** True for files that import a library which a user installs: the adapters, the WebSocket server, builds and authorization. */
function isAdapter(path: string): boolean {
  return /^(runtime\/adapters|cluster\/(redis|nats))\//.test(path) || libraryImporters.includes(path);
}
