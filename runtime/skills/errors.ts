import { hasName } from "../jsonrpc/errors.ts";

/**
 * Why something of a skill must not be used. `entry`: what the server says of the skill makes no sense. `size`, `digest`: a file is not the
 * one that the entry describes. `frontmatter`: `SKILL.md` does not say what the entry says. `unlisted`: the entry has no such file.
 * `dynamic`: nothing can be checked. `limit`: it is larger than allowed.
 */
export type SkillProblem = "entry" | "size" | "digest" | "frontmatter" | "unlisted" | "dynamic" | "limit";

/** Something of a skill was refused: it is not to be shown to a model, and nothing of it is to be run. */
export class SkillError extends Error {
  readonly problem: SkillProblem;
  /** Of the skill or of the file. */
  readonly uri: string;

  constructor(problem: SkillProblem, uri: string, message: string) {
    super(`${uri} is not used: ${message}.`);
    this.name = "SkillError";
    this.problem = problem;
    this.uri = uri;
  }
}

/** Whether a value is a `SkillError`, also one of another copy of this package. */
export function isSkillError(value: unknown): value is SkillError {
  return hasName(value, ["SkillError"]);
}
