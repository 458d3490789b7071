import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // One process runs the test files one after another, so that they share the servers that they start.
    isolate: false,
    maxWorkers: 1,
    // A server may take long to start on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
