type Write = typeof process.stdout.write;

/**
 * Name of the member of `process.stdout` in which a program keeps the real `write` while it loads and redirects the output of packages to stderr:
 * `mcp-server-runtime/stdout`, the first import of a project, does so.
 */
const keptWrite = Symbol.for("mcp.stdout.write");

/** Returns the function to write to stdout, even if all other output is already redirected to stderr. */
export function readStdoutWrite(): Write {
  const kept: unknown = Reflect.get(process.stdout, keptWrite);
  return isWrite(kept) ? kept : process.stdout.write;
}

/** Redirects all output to stderr while a program loads, until a transport on stdout or `releaseStdout` uses the real `write`. */
export function keepStdout(): void {
  const { stdout, stderr } = process;
  // The development server has done so before it loads a program.
  if (Object.hasOwn(stdout, keptWrite)) return;
  Object.defineProperty(stdout, keptWrite, { value: stdout.write });
  stdout.write = stderr.write.bind(stderr);
}

/**
 * Restores stdout for the program: no server uses it.
 *
 * @example
 * ```ts
 * import { releaseStdout } from "mcp-server-runtime/stdout";
 *
 * releaseStdout(); // this program serves nothing on stdio
 * ```
 */
export function releaseStdout(): void {
  if (Object.hasOwn(process.stdout, keptWrite)) process.stdout.write = readStdoutWrite();
}

function isWrite(value: unknown): value is Write {
  return typeof value === "function";
}
