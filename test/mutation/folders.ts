import { join } from "node:path";

/** Folders that are mutated, with the folders and files of the tests that are run against their mutants. These tests start no processes. */
export const mutatedFolders: Readonly<Record<string, readonly string[]>> = {
  "runtime/framing": ["test/runtime/framing"],
  "runtime/jsonrpc": ["test/runtime/jsonrpc"],
  "runtime/lifecycle": ["test/runtime/lifecycle"],
  "runtime/protocol": ["test/runtime/protocol", "test/runtime/lifecycle"],
  "generator/emit": ["test/generator/emit", "test/golden", "test/generator/conversions/convert-alternatives.test.ts"],
};

/** Test files that are left out: they take seconds, or use the network, or only compile what others compare. */
export const leftOut: readonly string[] = [
  "test/golden/compile.program.test.ts",
  "test/runtime/framing/long-input.test.ts",
  "test/runtime/jsonrpc/check-numbers.program.test.ts",
  "test/runtime/jsonrpc/metrics-of-servers.test.ts",
  "test/runtime/jsonrpc/slow-readers.test.ts",
];

/** Returns the patterns of the test files of a folder. */
export function testsOf(folder: string): readonly string[] {
  return (mutatedFolders[folder] ?? []).map((tests) => (tests.endsWith(".ts") ? tests : `${tests}/**/*.test.ts`));
}

/** Names a folder as files about it are named. */
export function nameOf(folder: string): string {
  return folder.replaceAll("/", "-");
}

/** Root of the repository. */
export const root: string = join(import.meta.dirname, "..", "..");
