import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Tree } from "../emit/tree.ts";
import type { Selection } from "./project-choices.ts";

/** Packages that a project with a folder of skills depends on, with the version that was tested. */
export const skillDependencies: { readonly [name: string]: string } = { yaml: "^2.9.1" };

/** Whether a project reads skills from a folder: at the edge there are none, and they are written in code. */
export function hasSkillFolder({ serve, transport }: Pick<Selection, "serve" | "transport">): boolean {
  return serve.includes("skills") && transport !== "worker";
}

/** The example of a skill, by path. */
export async function emitSkills(selection: Selection, templateFolder: string): Promise<Tree> {
  if (!hasSkillFolder(selection)) return new Map();
  const read = async (path: string): Promise<[string, string]> => [
    path,
    (await readFile(join(templateFolder, "project", path), "utf8")).replaceAll("\r\n", "\n"),
  ];
  return new Map(await Promise.all(files.map(read)));
}

const files: readonly string[] = ["skills/edit-text/SKILL.md", "skills/edit-text/references/CHECKLIST.md"];
