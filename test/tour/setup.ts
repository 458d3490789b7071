import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { setup as build } from "../build.ts";
import { serveRegistry, type PackedPackage } from "./registry.ts";
import { run } from "./shell.ts";

declare module "vitest" {
  interface ProvidedContext {
    tour: Tour;
  }
}

/** Folder, registry and project that all journeys share. */
export interface Tour {
  /** Folder in which the packages are installed, and which is otherwise empty. */
  readonly home: string;
  /** Address of a registry that has the packages. */
  readonly registry: string;
  /** Output of the creation of the project `demo`, which is installed. */
  readonly created: string;
}

const root = join(import.meta.dirname, "..", "..");

/** Packs the packages, installs them in an empty folder, and creates a project there. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  build();
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tour-")));
  const packages = [root, join(root, "dist", "runtime-package")].map((folder) => pack(folder, home));
  const registry = await serveRegistry(packages, npm(home, "config", "get", "registry").trim());
  const end = async (): Promise<void> => {
    await registry.close();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "elsewhere", private: true, type: "module" }));
    const tour = { home, registry: `${registry.origin}/`, created: "" };
    await run(`npm install ${packages.map(({ file }) => file).join(" ")}`, { cwd: home, tour });
    const created = await run(`npx --no-install create-mcp-server demo --yes --no-git ${demoOptions}`, {
      cwd: home,
      tour,
    });
    provide("tour", { ...tour, created });
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}

const demoOptions = "--protocol all --transport both --features tools,resources,prompts,input --client";

function pack(folder: string, target: string): PackedPackage {
  const name = npm(folder, "pack", "--ignore-scripts", "--silent", "--pack-destination", target).trim();
  return { file: join(target, name), manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8" });
}
