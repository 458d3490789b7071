import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Comparison with the official schemas: slower than the unit tests, and in need of the official files. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["test/oracle/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    reporters: ["verbose"],
  },
});
