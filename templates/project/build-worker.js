import { build } from "esbuild";

/*
 * Makes dist/server.js: the server and every package that it imports, in one file, for any platform that calls the
 * function `fetch` of what a module exports.
 */

await build({
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
}).catch(() => {
  // esbuild has said already what is wrong.
  process.exitCode = 1;
});
