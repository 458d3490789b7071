/*
 * Modules of Node.js that are loaded when a function of them is needed. An import of `node:fs` or `node:child_process` reads every export, which also
 * loads streams and sockets: that takes as long as everything else that an import of the runtime does. `node:process` is not imported at all, because
 * that opens stdin, stdout and stderr: modules use the global `process`.
 */

/** Returns `node:fs`, which Node.js itself has already loaded. */
export function loadFileSystem(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

/** Loads the parser of command lines. An import of `node:util` would also load that of media types. */
export function loadParseArgs(): typeof import("node:util").parseArgs {
  return process.getBuiltinModule("node:util").parseArgs;
}

/** Loads `node:child_process`. */
export function loadChildProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
