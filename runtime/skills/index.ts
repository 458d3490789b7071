/** Skills in detail: their entries and files, problems in them, and a reader for clients. */
export { createSkillReader } from "../client/skills/skill-reader.ts";
export type { LoadedSkill, SkillReader, SkillReaderOptions, SkillServer } from "../client/skills/skill-reader.ts";
export type { SkillContent } from "../client/skills/skill-files.ts";

export { SkillError, isSkillError } from "./errors.ts";
export type { SkillProblem } from "./errors.ts";

export type { ParseYaml } from "./frontmatter.ts";

export type { SkillEntry, SkillFile, SkillFrontmatter, SkillResource } from "./skill.ts";
