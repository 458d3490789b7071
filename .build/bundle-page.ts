import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles the page of the command `inspect` with its libraries. Returns the files that the page is made from. */
export async function bundlePage(root: string, dist: string): Promise<readonly string[]> {
  const outdir = `${dist}/bundle/inspect`;
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    minify: true,
    entryPoints: [{ in: `${dist}/tools/inspect/page/main.js`, out: "page" }],
    outdir,
    metafile: true,
    logLevel: "warning",
  });
  await mkdir(join(root, outdir), { recursive: true });
  for (const file of ["page.html", "page.css"])
    await copyFile(join(root, "tools", "inspect", "page", file), join(root, outdir, file));
  return Object.keys(metafile.inputs);
}
