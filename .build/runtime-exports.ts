import { readFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Subpaths of the package `mcp-server-runtime`. This is the one place that lists them: the build, the manifest of the package and the tests follow.
 */

/** Source files behind the subpaths that are written by hand. */
const written: Readonly<Record<string, string>> = {
  ".": "runtime/index.ts",
  "./features": "runtime/features.ts",
  "./client": "runtime/client/index.ts",
  "./tasks": "runtime/tasks/index.ts",
  "./skills": "runtime/skills/index.ts",
  "./server-card": "runtime/server-card/index.ts",
  "./server-card/client": "runtime/server-card/client/index.ts",
  "./stdout": "runtime/transport/stdio/redirect-stdout.ts",
  "./settings": "runtime/server/settings/index.ts",
  "./stores": "runtime/stores/index.ts",
  "./compatibility": "runtime/compatibility/index.ts",
  "./transports": "runtime/transport/index.ts",
  "./transports/websocket-server": "runtime/transport/websocket/index.ts",
  "./protocol": "runtime/protocol/index.ts",
  "./gateway": "runtime/gateway/index.ts",
  "./scale": "cluster/index.ts",
  "./metrics": "cluster/metrics/index.ts",
  "./testing": "runtime/testing/index.ts",
  "./testing/issuer": "runtime/testing/issuer/issuer.ts",
  "./build": "tools/build/index.ts",
  "./dev": "tools/dev/index.ts",
  "./dev/server": "tools/dev/server-process.ts",
  "./auth/server": "runtime/auth/server/index.ts",
  "./auth/client": "runtime/auth/client/index.ts",
  "./adapters/ajv": "runtime/adapters/ajv.ts",
  "./adapters/cfworker": "runtime/adapters/cfworker.ts",
  "./adapters/jose": "runtime/adapters/jose.ts",
  "./adapters/lambda": "runtime/adapters/lambda.ts",
  "./adapters/open-telemetry": "runtime/adapters/open-telemetry/index.ts",
  "./adapters/re2": "runtime/adapters/re2.ts",
  "./adapters/nats": "cluster/nats/index.ts",
  "./adapters/redis": "cluster/redis/index.ts",
  "./adapters/yaml": "runtime/adapters/yaml.ts",
};

/** Source files that do something when they are loaded. Bundlers drop any other file if nothing is imported from it. */
export const effectful: readonly string[] = ["runtime/transport/stdio/redirect-stdout.ts"];

/**
 * Subpaths that programs import without others. Modules that the same of them load are in one file. With `./client` and `./transports` here as well,
 * an import of the main entry would load 10 files rather than 6.
 */
export const commonExports: readonly string[] = ["."];

/** Libraries that adapters, the WebSocket server, the OAuth client and builds use, with the versions they work with. Users install those they need. */
export const runtimePeers: Readonly<Record<string, string>> = {
  "@cfworker/json-schema": ">=4",
  "@nats-io/jetstream": "^3.4",
  "@nats-io/transport-node": "^3.4",
  "@opentelemetry/api": ">=1.3 <2",
  "@redis/client": ">=6.3.1",
  ajv: "^8",
  esbuild: ">=0.25",
  jose: "^6",
  oauth4webapi: "^3.8",
  re2js: "^2.10",
  ws: "^8.23.0",
  yaml: "^2.9",
};

/** Returns the source file behind each subpath: those written by hand, and those of the pinned revisions and extensions, newest revision first. */
export function readRuntimeExports(root: string): Readonly<Record<string, string>> {
  const pins: Pins = JSON.parse(readFileSync(join(root, "spec", "pins.json"), "utf8"));
  const revisions = Object.keys(pins.revisions).sort().reverse();
  return {
    ...written,
    ...generated("", ["revisions", "support", "convert-support"]),
    ...Object.assign({}, ...revisions.map((id) => generatedFolder(id, ["validate", "methods"]))),
    ...Object.assign(
      {},
      ...Object.keys(pins.extensions).map((id) => generatedFolder(`extensions/${id}`, ["validate"])),
    ),
  };
}

interface Pins {
  readonly revisions: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

function generatedFolder(folder: string, names: readonly string[]): Record<string, string> {
  return { [`./${folder}`]: `generated/${folder}/index.ts`, ...generated(`${folder}/`, names) };
}

function generated(place: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`./${place}${name}`, `generated/${place}${name}.ts`]));
}
