import { join } from "node:path";

/** Mutated folders, with the tests for their mutants: files and folders. Tests of programs count only if the folder ends with `/`. */
export const mutatedFolders: Readonly<Record<string, readonly string[]>> = {
  "runtime/framing": ["test/runtime/framing"],
  "runtime/jsonrpc": ["test/runtime/jsonrpc"],
  "runtime/lifecycle": ["test/runtime/lifecycle", "test/runtime/middleware"],
  "runtime/protocol": ["test/runtime/protocol", "test/runtime/lifecycle"],
  "runtime/transport/http-server": [
    "test/runtime/transport/http-server",
    "test/runtime/transport/http-sse",
    "test/runtime/server/run",
    "test/runtime/auth/server",
    "test/runtime/compatibility/http.test.ts",
    "test/cluster/metrics/serve-metrics.test.ts",
    "test/runtime/server/scopes.test.ts",
    "test/cluster/protocol/",
  ],
  "runtime/client": [
    "test/runtime/client",
    "test/runtime/client/eras.program.test.ts",
    "test/runtime/transport/http-sse/http-sse-client.test.ts",
    "test/runtime/server/extensions/define-extension.test.ts",
  ],
  "runtime/auth": ["test/runtime/auth"],
  "runtime/tasks": [
    "test/runtime/tasks",
    "test/runtime/client/tasks",
    "test/runtime/server/tasks",
    "test/cluster/protocol/tasks.program.test.ts",
  ],
  "runtime/gateway": [
    "test/runtime/gateway",
    "test/runtime/gateway/upstream/",
    "test/runtime/server/extensions/define-extension.test.ts",
    "test/advisories/gateway.test.ts",
    "test/cluster/protocol/gateway.program.test.ts",
  ],
  cluster: [
    "test/cluster/protocol/",
    "test/cluster/contract/contract.program.test.ts",
    "test/cluster/metrics",
    "test/runtime/stores/principals.test.ts",
    "test/runtime/transport/http-server/cluster-sessions.test.ts",
  ],
  "cluster/nats": [
    "test/cluster/contract/nats-in-memory.test.ts",
    "test/cluster/problems/addresses.test.ts",
    "test/cluster/problems/nats-keys.test.ts",
    "test/cluster/problems/nats-limits.test.ts",
    "test/cluster/problems/nats-link.test.ts",
    "test/cluster/problems/nats-names.test.ts",
    "test/cluster/problems/nats-parts.test.ts",
    "test/cluster/problems/nats-revocations.test.ts",
    // The contract on a real server takes minutes. These tests need seconds, and the parts that the server in memory replaces.
    "test/cluster/problems/nats-clock.scale.ts",
    "test/cluster/problems/nats-settings.scale.ts",
    "test/cluster/problems/nats-setup.scale.ts",
  ],
  "cluster/redis": [
    "test/cluster/contract/contract.program.test.ts",
    "test/cluster/problems/addresses.test.ts",
    "test/cluster/problems/redis-commands.test.ts",
    "test/cluster/problems/redis-connections.test.ts",
    "test/cluster/problems/redis-nodes.test.ts",
    "test/cluster/problems/redis-replies.test.ts",
    "test/cluster/problems/redis-sessions.test.ts",
    "test/cluster/problems/redis-tasks.test.ts",
    "test/cluster/problems/redis-watches.test.ts",
  ],
  "generator/openapi": ["test/generator/openapi"],
  "generator/typed-client": ["test/generator/typed-client/"],
  "generator/scaffold/update": ["test/generator/scaffold/update/"],
  "generator/emit": ["test/generator/emit", "test/golden", "test/generator/conversions/convert-alternatives.test.ts"],
};

/** Test files that are left out: they take seconds, or use the network, or only compile what others compare. */
export const leftOut: readonly string[] = [
  "test/runtime/framing/long-input.test.ts",
  "test/runtime/jsonrpc/metrics-of-servers.test.ts",
  "test/runtime/jsonrpc/slow-readers.test.ts",
];

/** Returns the mutated folder of a file: the innermost one. */
export function folderOf(file: string): string | undefined {
  const around = Object.keys(mutatedFolders).filter((folder) => file.startsWith(`${folder}/`));
  return around.toSorted((one, other) => other.length - one.length)[0];
}

/** Returns the patterns of the test files of a folder. */
export function testsOf(folder: string): readonly string[] {
  return (mutatedFolders[folder] ?? []).map((tests) => {
    if (tests.endsWith(".ts")) return tests;
    return tests.endsWith("/") ? `${tests}**/*.test.ts` : `${tests}/**/!(*.program).test.ts`;
  });
}

/** Names a folder as files about it are named. */
export function nameOf(folder: string): string {
  return folder.replaceAll("/", "-");
}

/** Root of the repository. */
export const root: string = join(import.meta.dirname, "..", "..");
