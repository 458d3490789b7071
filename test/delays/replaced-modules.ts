import { join } from "node:path";
import type { Plugin } from "vitest/config";

const root = join(import.meta.dirname, "..", "..");
const delayedModules = join(root, "test/delays/delayed-modules.ts");

const replaced: ReadonlySet<string> = new Set(
  [
    "cluster/memory-engine",
    "runtime/stores/memory-event-store",
    "runtime/stores/memory-session-store",
    "runtime/stores/memory-task-store",
    "runtime/testing/manual-clock",
    "runtime/testing/wire",
    "runtime/transport/memory",
  ].map((name) => join(root, `${name}.ts`)),
);

/** Gives every importer of stores, engines and transports in memory the delayed ones. */
export const replacedModules: Plugin = {
  name: "replaced-modules",
  enforce: "pre",
  async resolveId(source, importer, options) {
    if (importer === delayedModules) return undefined;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found !== null && replaced.has(found.id) ? delayedModules : undefined;
  },
};
