#!/usr/bin/env node

/*
 * First file of the command line. It imports nothing: versions of Node.js that cannot load the program print this line, and not the source at which
 * they fail.
 */

/** Oldest supported version of Node.js, as in `package.json`: major and minor version. */
const oldest = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) await import("./program.ts");
else {
  console.error(
    `create-mcp-server needs Node.js ${oldest.join(".")} or newer, and this is ${process.versions.node}; update Node.js.`,
  );
  process.exitCode = 2;
}

export {};
