import { build } from "esbuild";
import { writeNotices } from "./notices.js";

/*
 * Makes dist/server.js: the server and every package that it imports, in one file, for any platform that calls the
 * function `fetch` of what a module exports. The licences of those packages go beside it, to dist/THIRD-PARTY.txt.
 */

const made = await build({
  entryPoints: ["src/server.ts"],
  outdir: "dist",
  bundle: true,
  platform: "neutral",
  // Packages without "exports" say here where they begin.
  mainFields: ["module", "main"],
  // What the platform has itself.
  external: ["node:*", "cloudflare:*"],
  target: "es2023",
  format: "esm",
  // Errors say by these what they are.
  keepNames: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
}).catch(() => {
  // esbuild has said already what is wrong.
  process.exitCode = 1;
});
if (made) await writeNotices(made.metafile);
