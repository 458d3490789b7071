import { accessDependencies } from "./access-files.ts";
import { ownDependency } from "./package-layer.ts";
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

/** Packages that projects may have. */
export const projectPackages: readonly string[] = [
  ...Object.values(schemaSamples).flatMap(({ packages }) => Object.keys(packages)),
  ...Object.values(accessDependencies).flatMap((packages) => Object.keys(packages)),
  "create-mcp-server",
  ...Object.keys(skillDependencies),
  ...Object.keys(tools),
];

/** The packages of a project, by name. All are for its development: what the server needs of them becomes part of its bundle. */
export function packagesOf({ selection, packageFolder, version }: ProjectOptions): Packages {
  const packages: Packages = {
    ...tools,
    ...schemaSamples[selection.schema].packages,
    ...accessDependencies[selection.auth],
    ...(hasSkillFolder(selection) && skillDependencies),
    ...(selection.runtime === "package" && { "create-mcp-server": ownDependency(packageFolder, version).version }),
  };
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
}
