import { formatRendered } from "../../internal/format.ts";
import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import {
  bundleOf,
  deployTargets,
  isPlatform,
  isServedLocally,
  keepsMemory,
  platformOf,
  type DeployTarget,
  type Platform,
} from "../create/deploy-target.ts";

function readmeOf(target: Platform): string {
  return `deploy/${target}/README.md`;
}

/** Templates of all platforms. */
export const deployTemplates: readonly string[] = [
  ...new Set(deployTargets.flatMap((target) => Object.values(platformOf(target)?.files ?? {}))),
  ...deployTargets.filter(isPlatform).map(readmeOf),
];

/** Emits the files by which a platform runs the project, by path. */
export async function emitDeployment(target: DeployTarget, templates: Templates, view: object): Promise<Tree> {
  const { files = {} } = platformOf(target) ?? {};
  const rendered = Object.entries(files).map(async ([path, template]): Promise<[string, string]> => {
    const text = templates.render(template, view);
    return [path, path.endsWith(".ts") ? await formatRendered(text) : text];
  });
  return new Map(await Promise.all(rendered));
}

/** Returns the section of the README about deployment; empty for a target without a platform. */
export function deployText(target: DeployTarget, templates: Templates, view: object): string {
  return isPlatform(target) ? templates.render(readmeOf(target), view).trim() : "";
}

/** Facts about the platform for the templates. */
export function deployView(target: DeployTarget): object {
  const facts = platformOf(target);
  return {
    target: Object.fromEntries(deployTargets.map((name) => [name, name === target])),
    entry: facts?.entry ?? "",
    bundle: bundleOf(target),
    entryName: (facts?.bundle ?? "").replace(/^dist\/|\.\w+$/g, ""),
    settings: facts?.settings ?? "",
    platformVariable: facts?.variable ?? "",
    platformTitle: facts?.title ?? "",
    keepsMemory: keepsMemory(target),
    local: isServedLocally(target),
  };
}
