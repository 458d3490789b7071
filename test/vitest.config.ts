import { defineConfig } from "vitest/config";

/** `npm test`: everything that needs nothing but Node and the packages of this project. */
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/oracle/**", "test/scaffold/**", "test/upstream/**", "test/conformance/**"],
    testTimeout: 30_000,
  },
});
