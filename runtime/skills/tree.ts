import { manifestName, toSkillUri, type Skill, type SkillFile } from "./skill.ts";

/** A file of a skill, and the skill if the file is its `SKILL.md`. */
export interface TreeFile {
  readonly file: SkillFile;
  readonly manifestOf: Skill | undefined;
}

/** An item of a folder, as `resources/directory/read` returns it. */
export interface TreeItem {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** Files and folders of skills by URI. Files of a nested skill appear once. */
export interface SkillTree {
  readonly files: ReadonlyMap<string, TreeFile>;
  /** Items of each folder. Folders above skills are not included: they belong to no skill. */
  readonly folders: ReadonlyMap<string, readonly TreeItem[]>;
}

/** Indexes the files and folders of skills by URI. */
export function createSkillTree(skills: readonly Skill[]): SkillTree {
  const files = new Map<string, TreeFile>();
  const folders = new Map<string, Map<string, TreeItem>>();
  for (const skill of skills) {
    for (const file of skill.files) {
      const uri = toSkillUri(`${skill.path}/${file.path}`);
      const manifestOf = file.path === manifestName ? skill : files.get(uri)?.manifestOf;
      files.set(uri, { file, manifestOf });
      enterFolders(folders, skill, file);
    }
  }
  return { files, folders: new Map([...folders].map(([uri, items]) => [uri, [...items.values()]])) };
}

/** Adds a file to its folder, the folder to its parent, and so on up to the skill. */
function enterFolders(folders: Map<string, Map<string, TreeItem>>, skill: Skill, file: SkillFile): void {
  const segments = file.path.split("/");
  for (let depth = segments.length; depth > 0; depth--) {
    const name = segments[depth - 1] ?? "";
    const uri = toSkillUri([skill.path, ...segments.slice(0, depth)].join("/"));
    const above = toSkillUri([skill.path, ...segments.slice(0, depth - 1)].join("/"));
    const mimeType = depth === segments.length ? file.mimeType : directoryType;
    const items = folders.get(above) ?? new Map<string, TreeItem>();
    items.set(uri, { uri, name, mimeType });
    folders.set(above, items);
  }
}

const directoryType = "inode/directory";
