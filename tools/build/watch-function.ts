import { spawn } from "node:child_process";
import { basename, join, parse } from "node:path";

/**
 * Serves the function of a platform at a port of this machine. Each built version replaces the last one.
 *
 * @param given - `context`: function of esbuild. `options`: its options, for the module with the server of the function
 */
export async function watchFunction<Options extends { readonly entryPoints: readonly string[] }>({
  context,
  options,
}: {
  readonly context: (
    options: Options,
  ) => Promise<{ rebuild(): Promise<unknown>; watch(): Promise<unknown>; dispose(): Promise<unknown> }>;
  readonly options: Options;
}): Promise<void> {
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
