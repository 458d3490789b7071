import { hasName } from "../jsonrpc/errors.ts";

/**
 * Reason for which a skill or a file of it must not be used. `entry`: the entry from the server is inconsistent. `size`, `digest`: a file differs
 * from the one in the entry. `frontmatter`: `SKILL.md` differs from the entry. `unlisted`: the entry has no such file. `dynamic`: nothing can be
 * checked. `limit`: the skill or the file is larger than allowed.
 */
export type SkillProblem = "entry" | "size" | "digest" | "frontmatter" | "unlisted" | "dynamic" | "limit";

/** Error for a rejected skill or file: it must not be shown to a model, and no part of it may be run. */
export class SkillError extends Error {
  readonly problem: SkillProblem;
  /** URI of the skill or of the file. */
  readonly uri: string;

  constructor(problem: SkillProblem, uri: string, message: string) {
    super(`${uri} is rejected: ${message}`);
    this.name = "SkillError";
    this.problem = problem;
    this.uri = uri;
  }
}

/** True if a value is a `SkillError`, also one of another copy of this package. */
export function isSkillError(value: unknown): value is SkillError {
  return hasName(value, ["SkillError"]);
}
