import { formatRendered } from "../../internal/format.ts";
import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import {
  bundleOf,
  deployTargets,
  isPlatform,
  keepsMemory,
  platformOf,
  type DeployTarget,
  type Platform,
} from "../create/deploy-target.ts";

const localFile = "deploy/local.ts";

/** Files of a project for a platform: templates by path. */
const files: { readonly [Name in Platform]: { readonly [path: string]: string } } = {
  worker: { "wrangler.jsonc": "deploy/worker/wrangler.jsonc" },
  lambda: {
    "src/lambda.ts": "deploy/lambda/lambda.ts",
    "src/local.ts": localFile,
    "template.yaml": "deploy/lambda/template.yaml",
  },
  vercel: {
    "src/vercel.ts": "deploy/vercel/vercel.ts",
    "src/local.ts": localFile,
    "api/mcp.js": "deploy/vercel/mcp.js",
    // Vercel needs a folder of static files.
    "public/robots.txt": "deploy/vercel/robots.txt",
    "vercel.json": "deploy/vercel/vercel.json",
  },
  deno: {
    "src/main.ts": "deploy/deno/main.ts",
    "deno.json": "deploy/deno/deno.json",
  },
  bun: { "src/main.ts": "deploy/bun/main.ts" },
};

function readmeOf(target: Platform): string {
  return `deploy/${target}/README.md`;
}

/** Templates of all platforms. */
export const deployTemplates: readonly string[] = [
  ...new Set(Object.values(files).flatMap((byPath) => Object.values(byPath))),
  ...deployTargets.filter(isPlatform).map(readmeOf),
];

/** Emits the files by which a platform runs the project, by path. */
export async function emitDeployment(target: DeployTarget, templates: Templates, view: object): Promise<Tree> {
  if (!isPlatform(target)) return new Map();
  const rendered = Object.entries(files[target]).map(async ([path, template]): Promise<[string, string]> => {
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
    // Node serves the function during development.
    local: target === "lambda" || target === "vercel",
  };
}
