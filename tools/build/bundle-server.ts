import { build, context, type BuildOptions, type Plugin } from "esbuild";
import { copyExternal } from "./copy-external.ts";
import { writeNotices } from "./notices.ts";
import { watchFunction } from "./watch-function.ts";

/** Options of {@link bundleServer}. */
export interface BundleServerOptions {
  /** Folder of the project: `import.meta.dirname` of its `build.js`. It becomes the working folder of the process. */
  readonly folder: string;
  /** Modules with files of their own in `dist`, as esbuild lists them; the first is the server. Default: `src/server.ts`. */
  readonly entryPoints?: readonly (string | { readonly in: string; readonly out: string })[];
  /** Platform of the bundle; `worker` is any platform for modules with a function `fetch`. Default: `node`. */
  readonly platform?: "node" | "worker";
  /**
   * Packages outside of the bundle: packages of the platform, and packages with native code. The latter belong under "dependencies" in
   * `package.json`, and are copied to `dist/node_modules`. Default: none.
   */
  readonly external?: readonly string[];
  /** Module for serving a function on this machine, with `--watch`. Default: the first entry point is a server, and is served. */
  readonly local?: string;
  /**
   * Options of the page for calling the server while it is developed over HTTP: those of `create-mcp-server inspect`, such as `--header-env X-API-Key=KEY`.
   * `false`: no page.
   */
  readonly inspect?: readonly string[] | false;
  /** Further options of esbuild, which replace those of this function. */
  readonly esbuild?: Readonly<Record<string, unknown>>;
  /** Arguments of the program; those after `--watch` are passed to the server. Default: the command line. */
  readonly args?: readonly string[];
}

/**
 * Bundles a server and its packages into `dist`, with esbuild. The bundle starts fast and runs without `node_modules`.
 * `dist/THIRD-PARTY.txt` receives the licences of the packages, which have to be distributed with it. A warning names packages with native code, which
 * bundles do not contain. With `--watch`, serves while the sources change. An error of the build is printed, and sets the exit code.
 *
 * `import.meta.dirname` and `__dirname` are `dist` in the whole bundle.
 *
 * @example
 * ```ts
 * import { bundleServer } from "mcp-server-runtime/build";
 *
 * await bundleServer({ folder: import.meta.dirname, external: ["better-sqlite3"] });
 * ```
 */
export async function bundleServer(given: BundleServerOptions): Promise<void> {
  const { folder, local, inspect, args = process.argv.slice(2) } = given;
  // A host may start the program in any folder. The watched server runs in the folder of the project.
  process.chdir(folder);
  const options = toSettings(given);
  const [mode, ...rest] = args;
  if (mode !== "--watch") return buildOnce(folder, options);
  if (local !== undefined)
    return watchFunction({ context, options: { ...options, entryPoints: [local], outExtension: {} } });
  // A build that watches nothing needs no part of the runtime.
  const { watchServer } = await import("../dev/watch-server.ts");
  return watchServer({ context, options: { ...options }, args: rest, ...(inspect !== undefined && { inspect }) });
}

function toSettings({
  folder,
  entryPoints = ["src/server.ts"],
  platform = "node",
  external = [],
  esbuild = {},
}: BundleServerOptions): BuildOptions {
  const settings = platform === "worker" ? workerSettings : nodeSettings;
  const own = { absWorkingDir: folder, entryPoints: [...entryPoints], external: [...external] };
  return Object.assign({}, settings, own, esbuild);
}

async function buildOnce(folder: string, options: BuildOptions): Promise<void> {
  const built = await build({ ...options, metafile: true }).catch(() => undefined);
  if (!built) {
    // esbuild has already printed the errors.
    process.exitCode = 1;
    return;
  }
  await writeNotices(folder, built.metafile);
  await copyExternal(folder, built.metafile);
}

/** Options of esbuild for every platform. */
const common: BuildOptions = {
  outdir: "dist",
  bundle: true,
  format: "esm",
  // Errors are recognized by the names of their classes.
  keepNames: true,
  // Modules of the runtime have no side effects. Outside node_modules, where a vendored runtime is, esbuild would warn of each dropped import.
  logOverride: { "ignored-bare-import": "silent" },
  sourcemap: true,
  sourcesContent: false,
};

/** Options of esbuild for programs and functions on Node.js and its like. */
const nodeSettings: BuildOptions = {
  ...common,
  platform: "node",
  target: "node20.19",
  // CommonJS packages expect globals which ECMAScript modules do not have.
  banner: {
    js: [
      'import { createRequire as createRequireOfBundle } from "node:module";',
      "const require = createRequireOfBundle(import.meta.url);",
    ].join("\n"),
  },
  define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" },
};

/** Leaves modules of the platform outside. Imports without a use are dropped: not every platform has the modules of Node.js. */
const platformModules: Plugin = {
  name: "platform-modules",
  setup({ onResolve }) {
    onResolve({ filter: /^(node|cloudflare):/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** Options of esbuild for platforms with functions, without packages, and with a limit for the size of a program. */
const workerSettings: BuildOptions = {
  ...common,
  platform: "neutral",
  // Fields with the entry of packages without "exports".
  mainFields: ["module", "main"],
  target: "es2023",
  minify: true,
  plugins: [platformModules],
};
