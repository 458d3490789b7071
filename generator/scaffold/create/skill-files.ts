import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tree } from "../../internal/tree.ts";
import type { Selection } from "./project-choices.ts";

/** Packages that a project with a folder of skills depends on, with the tested version. */
export const skillDependencies: { readonly [name: string]: string } = { yaml: "^2.9.1" };

/** True if a project reads skills from a folder. Edge platforms have no folders, so their skills are written in code. */
export function hasSkillFolder({ features, transport }: Pick<Selection, "features" | "transport">): boolean {
  return features.includes("skills") && transport !== "worker";
}

/** Returns the files of the example skill, by path. */
export function emitSkills(selection: Selection, templateFolder: string): Tree {
  if (!hasSkillFolder(selection)) return new Map();
  const read = (path: string): string => readFileSync(join(templateFolder, "project", path), "utf8");
  return new Map(files.map((path) => [path, read(path).replaceAll("\r\n", "\n")]));
}

const files: readonly string[] = ["skills/edit-text/SKILL.md", "skills/edit-text/references/CHECKLIST.md"];
