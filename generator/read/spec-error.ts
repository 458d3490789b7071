/** Where a problem in a spec file is, and what it is. */
export interface SpecProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
}

/** A problem in a file under `spec/`: the message starts with `file:line:column`, which editors and terminals link. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly file: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(problem: SpecProblem) {
    const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
    super(`${place}: ${problem.text}`);
    this.file = problem.file;
    this.line = problem.line;
    this.column = problem.column;
  }
}
