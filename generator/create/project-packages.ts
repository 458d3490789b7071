import { accessDependencies } from "./access-files.ts";
import { ownDependency } from "./package-layer.ts";
import type { Selection } from "./project-choices.ts";
import type { ProjectOptions } from "./project-files.ts";
import { schemaSamples } from "./schema-samples.ts";
import { hasSkillFolder, skillDependencies } from "./skill-files.ts";

interface Packages {
  readonly [name: string]: string;
}

/** What every project is developed with, in the versions that were tested together. */
const tools: Packages = {
  "@types/node": "^20.19.43",
  esbuild: "^0.28.2",
  typescript: "^7.0.2",
  vitest: "^4.1.12",
};

/** Library that serves WebSockets in Node. */
const webSocketPackages: Packages = { "@types/ws": "^8.18.2", ws: "^8.23.0" };

/** Matches patterns of JSON Schemas that the platform might need long for. */
const patternPackages: Packages = { re2js: "^2.10.0" };

/** Runs a worker on this machine, and deploys it. */
const workerTools: Packages = { wrangler: "^4.86.0" };

/** Packages that projects may have. */
export const projectPackages: readonly string[] = [
  ...Object.values(schemaSamples).flatMap(({ packages }) => Object.keys(packages)),
  ...Object.values(accessDependencies).flatMap((packages) => Object.keys(packages)),
  "create-mcp-server",
  ...Object.keys(skillDependencies),
  ...Object.keys(webSocketPackages),
  ...Object.keys(patternPackages),
  ...Object.keys(tools),
  ...Object.keys(workerTools),
];

/** Packages of a project that run a script of their own when they are installed. */
export function builtPackages({ transport }: Pick<Selection, "transport">): readonly string[] {
  return transport === "worker" ? ["esbuild", "sharp", "workerd"] : ["esbuild"];
}

/** The packages of a project, by name. All are for its development: what the server needs of them becomes part of its bundle. */
export function packagesOf({ selection, source, packageFolder, version }: ProjectOptions): Packages {
  const packages: Packages = {
    ...tools,
    ...(selection.transport === "worker" && workerTools),
    ...schemaSamples[selection.schema].packages,
    ...accessDependencies[selection.auth],
    ...(hasSkillFolder(selection) && skillDependencies),
    ...(selection.further.includes("websocket") && webSocketPackages),
    ...(source?.needsRe2 && patternPackages),
    ...(selection.runtime === "package" && { "create-mcp-server": ownDependency(packageFolder, version).version }),
  };
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
}
