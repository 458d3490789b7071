import process from "node:process";

type Write = typeof process.stdout.write;

/**
 * Name of the member of `process.stdout` under which a program keeps the real `write` while it loads, when it has moved everything that packages
 * print meanwhile to stderr: `src/stdout.ts` of a project does so.
 */
const keptWrite = Symbol.for("mcp.stdout.write");

/** The function that writes to stdout, also where everything else that is printed goes to stderr already. */
export function readStdoutWrite(): Write {
  const kept: unknown = Reflect.get(process.stdout, keptWrite);
  return isWrite(kept) ? kept : process.stdout.write;
}

/** Gives stdout back to the program: nothing is served on it. */
export function releaseStdout(): void {
  if (Object.hasOwn(process.stdout, keptWrite)) process.stdout.write = readStdoutWrite();
}

function isWrite(value: unknown): value is Write {
  return typeof value === "function";
}
