import { build, context } from "esbuild";
import { copyExternal } from "./external.js";
import { writeNotices } from "./notices.js";

/*
 * Builds dist/server.js: the server and every package that it imports, in one file. It starts fast and runs without
 * node_modules. Writes the licences of those packages to dist/THIRD-PARTY.txt.
 * `import.meta.dirname` is `dist` in the whole file, in whichever folder the source was.
 * With --watch, serves while the sources change; further arguments are passed to the server.
 */

// The paths below belong to the project, whichever folder this starts in. esbuild reads its folder when it is imported.
const absWorkingDir = import.meta.dirname;
process.chdir(absWorkingDir);

/** @type {import("esbuild").BuildOptions} */
const options = {
  absWorkingDir,
  // Each entry becomes a separate file. Add other programs of this project here, if it has any.
  entryPoints: ["src/server.ts"],
  // Packages that cannot be bundled, such as those with native code. They belong under "dependencies" in
  // package.json, and are copied to dist/node_modules.
  external: [],
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  // Errors are recognized by the names of their classes.
  keepNames: true,
  // Modules of mcp-server-runtime have no side effects. Outside node_modules, where a vendored one is, esbuild would warn of each that it drops.
  logOverride: { "ignored-bare-import": "silent" },
  sourcemap: true,
  sourcesContent: false,
  // CommonJS packages expect globals that ES modules do not have.
  banner: {
    js: [
      'import { createRequire as createRequireOfBundle } from "node:module";',
      "const require = createRequireOfBundle(import.meta.url);",
    ].join("\n"),
  },
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
};

const [mode, ...args] = process.argv.slice(2);
if (mode === "--watch") await watch();
else await make();

async function make() {
  const made = await build({ ...options, metafile: true }).catch(fail);
  if (!made) return;
  await writeNotices(made.metafile);
  await copyExternal(made.metafile);
}

/** Sets the exit code. esbuild has already printed the errors. */
function fail() {
  process.exitCode = 1;
}

/** Serves while the sources change: listeners, sessions and calls in progress stay, and clients are notified of changed lists. */
async function watch() {
  const { watchServer } = await import("mcp-server-runtime/dev");
  await watchServer({ context, options, args });
}
