import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildResult, Bundler, BundlerContext, BundlerOptions, BuildMessage } from "./bundler.ts";
import { ChildServer } from "./child-server.ts";
import { copyOutput } from "./copy-output.ts";
import { DevBundle } from "./dev-bundle.ts";
import { createDevPlugin } from "./dev-plugin.ts";
import { PageProcess } from "./page-process.ts";
import { report } from "./report.ts";
import { SourceWatcher } from "./source-watcher.ts";
import { isObject } from "../../generated/support.ts";

/** Options of a development server. */
export interface WatchOptions {
  /** Function `context` of esbuild. */
  readonly context: Bundler;
  /** Options with which esbuild bundles the server in production. The first entry point is the server. */
  readonly options: BundlerOptions & Readonly<Record<string, unknown>>;
  /** Arguments of the server. Default: none. */
  readonly args?: readonly string[];
  /**
   * Options of the page for calling the server: those of `create-mcp-server inspect`, such as `--header-env X-API-Key=KEY`. A server over HTTP has the page if
   * the project has the package `create-mcp-server`. `false`: no page.
   */
  readonly inspect?: readonly string[] | false;
}

/**
 * Serves a server while its sources change. Each change is bundled and loaded into the running process, which swaps the definition of the server:
 * listeners, sessions, subscriptions and calls in progress stay. If a version cannot be bundled or loaded, the one before stays. Resolves when the
 * first version has been bundled; the process ends with the server, or on SIGINT or SIGTERM.
 *
 * @example
 * ```ts
 * import { context } from "esbuild";
 * import { watchServer } from "mcp-server-runtime/dev";
 *
 * await watchServer({ context, options: { entryPoints: ["src/server.ts"], outdir: "dist", bundle: true, format: "esm" } });
 * ```
 */
export async function watchServer({ context, options, args = [], inspect }: WatchOptions): Promise<void> {
  const folder = typeof options.absWorkingDir === "string" ? options.absWorkingDir : process.cwd();
  const bundle = new DevBundle(options.entryPoints, folder);
  const sources = new SourceWatcher(() => rebuild());
  const program = fileURLToPath(import.meta.resolve("mcp-server-runtime/dev/server"));
  const page = new PageProcess(folder, inspect);
  copyOutput((text) => page.addOutput(text));
  const server = new ChildServer(program, args, {
    listening: (address) => page.open(address),
    output: (text) => page.addOutput(text),
    ended: (code) => void end(code),
  });
  let problems = "";
  const onEnd = async (result: BuildResult): Promise<void> => {
    const inputs = Object.keys(result.metafile?.inputs ?? {}).filter((file) => !file.includes(":"));
    sources.add(inputs.map((file) => resolve(folder, file)));
    // A change may be noticed twice: by the folder of the file, and by esbuild.
    const known = problems;
    problems = describeProblems(result, server.isRunning);
    if (problems !== "" && problems !== known) report(problems);
    if (result.errors.length > 0) return;
    // After a mistake that is undone, a version that has ended is started again.
    if (known !== "" && !server.isRunning) bundle.forget();
    try {
      const url = await bundle.write(result);
      if (url !== undefined) return server.load(url);
    } catch (error) {
      // The bundler would not report it.
      return report("the bundle cannot be written", error);
    }
    if (known !== "" && problems === "") report("built again; the version is the one that is served");
  };
  const plugins = [...(options.plugins ?? []), createDevPlugin(onEnd)];
  const settings = { write: false, metafile: true, sourcemap: "inline", logLevel: "silent", plugins };
  const bundler = await context(Object.assign({}, options, settings));
  const rebuild = createRebuild(bundler);
  const end = async (code: number): Promise<void> => {
    sources.close();
    page.close();
    await bundler.dispose();
    await bundle.close();
    process.exitCode = code;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]) process.once(signal, () => server.stop());
  await bundler.watch();
}

function describeProblems({ errors, warnings }: BuildResult, isRunning: boolean): string {
  const outcome = isRunning ? "the last version stays" : "the server starts after the next change";
  if (errors.length > 0) return `not built; ${outcome}:\n${formatMessages(errors)}`;
  return warnings.length > 0 ? `built with warnings:\n${formatMessages(warnings)}` : "";
}

/** Returns a function to build again: once more if sources change during a build. Errors are in the result, which the plugin receives. */
function createRebuild(bundler: BundlerContext): () => void {
  let isDirty = false;
  let isBuilding = false;
  const build = async (): Promise<void> => {
    isBuilding = true;
    while (isDirty) {
      isDirty = false;
      await bundler.rebuild().catch(() => {});
    }
    isBuilding = false;
  };
  return () => {
    isDirty = true;
    if (!isBuilding) void build();
  };
}

/** Formats errors or warnings of a build: the place, the message, and the line of the source. */
function formatMessages(messages: readonly BuildMessage[]): string {
  return messages.map(formatMessage).join("\n");
}

function formatMessage({ text, location, pluginName }: BuildMessage): string {
  if (!isObject(location)) return `  ${pluginName ? `${pluginName}: ` : ""}${text}`;
  const { file, line, column, lineText } = location;
  const source = lineText.trim() === "" ? "" : `\n    ${line} | ${lineText.trim()}`;
  return `  ${file}:${line}:${column + 1}: ${text}${source}`;
}
