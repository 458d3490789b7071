import { accessDependencies } from "./access-files.ts";
import type { Selection } from "./project-choices.ts";
import type { ProjectOptions } from "./project-options.ts";
import { generatorPackage } from "./launcher.ts";
import { mountPackages, runtimePackages, type Packages } from "../mount/frameworks.ts";
import type { Scale } from "../layer/choices.ts";
import { runtimePackage } from "./runtime-package.ts";
import { schemaSamples } from "./example-tools.ts";

/** Development tools of every project, in versions tested together. */
export const devTools = {
  "@types/node": "^20.19.43",
  esbuild: "^0.28.2",
  typescript: "^7.0.2",
  vitest: "^4.1.12",
} as const;

/** Packages to serve WebSockets in Node. */
const webSocketPackages: Packages = { "@types/ws": "^8.18.2", ws: "^8.23.0" };

/** Package for matching patterns of JSON Schemas that may take long on the platform. */
export const patternPackages: Packages = { re2js: "^2.10.0" };

/** Packages for a project with a folder of skills, with the tested version. */
const skillPackages: Packages = { yaml: "^2.9.1" };

/** Packages for the connection to an engine, by engine. */
export const enginePackages: { readonly [Name in Scale]: Packages } = {
  none: {},
  redis: { "@redis/client": "^6.3.1" },
  nats: { "@nats-io/jetstream": "^3.4.0", "@nats-io/transport-node": "^3.4.0" },
};

/** Packages to export spans and durations: the parts of the SDK for servers, for the versions of Node supported by projects. */
const telemetryPackages: Packages = {
  "@opentelemetry/api": "~1.9.0",
  "@opentelemetry/exporter-metrics-otlp-http": "^0.223.0",
  "@opentelemetry/exporter-trace-otlp-http": "^0.223.1",
  "@opentelemetry/resources": "^2.12.1",
  "@opentelemetry/sdk-metrics": "^2.12.1",
  "@opentelemetry/sdk-trace-node": "^2.12.0",
};

/** Package to check the code of a project. */
const lintPackages: Packages = { oxlint: "^1.94.0" };

/** Package to run a worker on this machine, and to deploy it. */
const workerTools: Packages = { wrangler: "^4.86.0" };

/** Possible packages of any project. */
export const projectPackages: readonly string[] = [
  ...[
    devTools,
    workerTools,
    webSocketPackages,
    patternPackages,
    skillPackages,
    telemetryPackages,
    lintPackages,
    ...Object.values(accessDependencies),
    ...Object.values(enginePackages),
    ...Object.values(mountPackages),
    ...Object.values(runtimePackages),
  ],
  ...Object.values(schemaSamples).map(({ packages }) => packages),
  { [runtimePackage]: "", [generatorPackage]: "" },
].flatMap((packages) => Object.keys(packages));

/** Returns the packages of a project with an install script. */
export function builtPackages({ target, mount }: Pick<Selection, "target" | "mount">): readonly string[] {
  if (mount === "next") return ["esbuild", "sharp"];
  return target === "worker" ? ["esbuild", "sharp", "workerd"] : ["esbuild"];
}

/** Returns the packages of a project, by name. All are development dependencies: the bundle includes the parts the server needs. */
export function packagesOf({ selection, source, runtime, launcher }: ProjectOptions): Packages {
  const packages: Packages = {
    ...devTools,
    ...(selection.target === "worker" && workerTools),
    ...schemaSamples[selection.schema].packages,
    ...accessDependencies[selection.auth],
    ...enginePackages[selection.scale],
    ...mountPackages[selection.mount],
    ...(hasSkillFolder(selection) && skillPackages),
    ...(selection.further.includes("websocket") && webSocketPackages),
    ...(selection.extras.includes("otel") && telemetryPackages),
    ...(selection.extras.includes("lint") && lintPackages),
    ...(source?.needsRe2 && patternPackages),
    [runtimePackage]: runtime.version,
    ...(launcher && { [generatorPackage]: launcher.version }),
  };
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True if a project reads skills from a folder. Platforms that call a function have no folders, so their skills are written in code. */
export function hasSkillFolder({ features, transport }: Pick<Selection, "features" | "transport">): boolean {
  return features.includes("skills") && transport !== "worker";
}
