import { spawn } from "node:child_process";
import { basename, join, parse } from "node:path";

/** Options of {@link watchFunction}. */
export interface WatchFunctionOptions<Options extends { readonly entryPoints: readonly string[] }> {
  /** Function `context` of esbuild. */
  readonly context: (options: Options) => Promise<WatchedBuild>;
  /** Options of esbuild for the module with the server of the function. */
  readonly options: Options;
}

/** Context of esbuild. */
interface WatchedBuild {
  rebuild(): Promise<unknown>;
  watch(): Promise<unknown>;
  dispose(): Promise<unknown>;
}

/** Serves the function of a platform at a port of this machine. Each built version replaces the last one. */
export async function watchFunction<Options extends { readonly entryPoints: readonly string[] }>({
  context,
  options,
}: WatchFunctionOptions<Options>): Promise<void> {
  const [entry = ""] = options.entryPoints;
  const bundler = await context(options);
  await bundler.rebuild().catch(() => {
    // esbuild has already printed the errors.
    process.exitCode = 1;
  });
  await bundler.watch();
  const program = join("dist", `${parse(basename(entry)).name}.js`);
  const server = spawn(process.execPath, ["--watch", "--enable-source-maps", program], { stdio: "inherit" });
  server.once("exit", (code) => {
    process.exitCode = code ?? 1;
    void bundler.dispose();
  });
  // Only a terminal sends its signals to both processes.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => server.kill(signal));
}
