import { build } from "esbuild";
import { writeNotices } from "./notices.js";

/*
 * Builds dist/server.js: the server and every package that it imports, in one file, for any platform that calls the
 * function `fetch` of a module's default export. Writes the licences of those packages to dist/THIRD-PARTY.txt.
 */

/** Leaves modules of the platform outside. Imports without a use are dropped: not every platform has the modules of Node.js. */
const platform = {
  name: "platform",
  setup({ onResolve }) {
    onResolve({ filter: /^(node|cloudflare):/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

// The paths below belong to the project, whichever folder this starts in. esbuild reads its folder when it is imported.
const absWorkingDir = import.meta.dirname;
process.chdir(absWorkingDir);

const made = await build({
  absWorkingDir,
  entryPoints: ["src/server.ts"],
  outdir: "dist",
  bundle: true,
  platform: "neutral",
  // Fields with the entry of packages without "exports".
  mainFields: ["module", "main"],
  target: "es2023",
  format: "esm",
  // Errors are recognized by the names of their classes.
  keepNames: true,
  // Modules of mcp-server-runtime have no side effects. Outside node_modules, where a vendored one is, esbuild would warn of each that it drops.
  logOverride: { "ignored-bare-import": "silent" },
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  plugins: [platform],
}).catch(() => {
  // esbuild has already printed the errors.
  process.exitCode = 1;
});
if (made) await writeNotices(made.metafile);
