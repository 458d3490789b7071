import { manifestName, toSkillUri, type Skill, type SkillFile } from "./skill.ts";

/** A file of some skill, and the skill if it is the `SKILL.md` of one. */
export interface TreeFile {
  readonly file: SkillFile;
  readonly manifestOf: Skill | undefined;
}

/** Something in a folder, as `resources/directory/read` shows it. */
export interface TreeItem {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** Skills by what clients may ask for. A skill inside of another is in there once. */
export interface SkillTree {
  readonly files: ReadonlyMap<string, TreeFile>;
  /** What is in each folder. A folder above skills is none: it belongs to nobody. */
  readonly folders: ReadonlyMap<string, readonly TreeItem[]>;
}

/** Sorts the files of skills by their URIs, and their folders. */
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

/** Notes a file in its folder, that folder in the one above, and so on up to the skill. */
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
