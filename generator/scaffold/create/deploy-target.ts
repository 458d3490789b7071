import { UserError } from "../../internal/user-error.ts";

/** Platforms for new projects. */
export const deployTargets = ["node", "worker", "lambda", "vercel", "deno", "bun"] as const;

/** Platform of a project. All but `node` call a function from `Request` to `Response`. */
export type DeployTarget = (typeof deployTargets)[number];

/** Target that calls a function. */
export type Platform = Exclude<DeployTarget, "node">;

/** Facts about a platform that calls a function. */
export interface PlatformFacts {
  /** Name in a sentence. */
  readonly title: string;
  /** Source to bundle, and the bundle. */
  readonly entry: string;
  readonly bundle: string;
  /** Place of the environment variables. */
  readonly settings: string;
  /** Variable set by the platform, by which the server recognizes it. Absent: the project runs nowhere else. */
  readonly variable?: string;
  /** True if one process keeps sessions and tasks in memory. Other platforms run many instances without shared memory. */
  readonly keepsMemory: boolean;
  /** Files by which the platform runs the project: templates by path. */
  readonly files: { readonly [path: string]: string };
}

/** Starts the function on Node during development. */
const localFile = "deploy/local.ts";

/** Facts about each platform that calls a function. */
const platforms: { readonly [Name in Platform]: PlatformFacts } = {
  worker: {
    title: "edge workers",
    entry: "src/server.ts",
    bundle: "dist/server.js",
    settings: "wrangler.jsonc, vars",
    keepsMemory: false,
    files: { "wrangler.jsonc": "deploy/worker/wrangler.jsonc" },
  },
  lambda: {
    title: "AWS Lambda",
    entry: "src/lambda.ts",
    bundle: "dist/index.mjs",
    settings: "template.yaml, Environment",
    variable: "AWS_LAMBDA_FUNCTION_NAME",
    keepsMemory: false,
    files: {
      "src/lambda.ts": "deploy/lambda/lambda.ts",
      "src/local.ts": localFile,
      "template.yaml": "deploy/lambda/template.yaml",
    },
  },
  vercel: {
    title: "Vercel",
    entry: "src/vercel.ts",
    bundle: "dist/vercel.js",
    settings: "vercel env add",
    variable: "VERCEL",
    keepsMemory: false,
    files: {
      "src/vercel.ts": "deploy/vercel/vercel.ts",
      "src/local.ts": localFile,
      "api/mcp.js": "deploy/vercel/mcp.js",
      // Vercel needs a folder of static files.
      "public/robots.txt": "deploy/vercel/robots.txt",
      "vercel.json": "deploy/vercel/vercel.json",
    },
  },
  deno: {
    title: "Deno",
    entry: "src/main.ts",
    bundle: "dist/main.js",
    settings: "environment variables",
    variable: "DENO_DEPLOY",
    keepsMemory: true,
    files: {
      "src/main.ts": "deploy/deno/main.ts",
      "deno.json": "deploy/deno/deno.json",
    },
  },
  bun: {
    title: "Bun",
    entry: "src/main.ts",
    bundle: "dist/main.js",
    settings: "environment variables",
    keepsMemory: true,
    files: { "src/main.ts": "deploy/bun/main.ts" },
  },
};

/** True if a target calls a function. */
export function isPlatform(target: DeployTarget): target is Platform {
  return target !== "node";
}

/** Returns the facts about a target, if it calls a function. */
export function platformOf(target: DeployTarget): PlatformFacts | undefined {
  return isPlatform(target) ? platforms[target] : undefined;
}

/** Path of the bundle written by the build of a project for a target. */
export function bundleOf(target: DeployTarget): string {
  return platformOf(target)?.bundle ?? "dist/server.js";
}

/** True if Node serves the function of a target during development. */
export function isServedLocally(target: DeployTarget): boolean {
  return Object.values(platformOf(target)?.files ?? {}).includes(localFile);
}

/** True if one process of the target keeps sessions and tasks in memory. */
export function keepsMemory(target: DeployTarget): boolean {
  return platformOf(target)?.keepsMemory ?? true;
}

/**
 * Checks that the transports suit a target. Functions are called over HTTP, so a platform needs no `--transport`.
 *
 * @throws {UserError} when the platform does not have a given transport
 */
export function checkTransports(target: DeployTarget, transport: string | undefined): void {
  const words = transport?.split(",").map((word) => word.trim()) ?? [];
  if (target === "node" && words.includes("worker"))
    throw new UserError("--transport worker is a platform; remove --target node, or choose another transport.");
  const misfit = words.find((word) => word !== "http" && !(word === "worker" && target === "worker"));
  if (target === "node" || misfit === undefined) return;
  throw new UserError(`--transport ${misfit}: ${target} calls a function over HTTP. Remove --transport or --target.`);
}
