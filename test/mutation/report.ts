/** Change of one place of the code. */
export interface Change {
  /** Path of the file in the repository. */
  readonly file: string;
  /** Line in which the change begins, without blanks at its ends. */
  readonly line: string;
  /** Number of the line, from 1. */
  readonly row: number;
  /** Text that is replaced, with its blanks made single. */
  readonly from: string;
  readonly to: string;
}

/** Change of the code, and what became of it. */
export interface Mutant extends Change {
  readonly outcome: Outcome;
}

/** `detected`: a test failed. `timeout`: the tests did not end. `survived`: all tests passed, or none runs the code. `unusable`: it cannot be run. */
export type Outcome = "detected" | "timeout" | "survived" | "unusable";

/** Report of Stryker, as far as it is read. @see https://github.com/stryker-mutator/mutation-testing-elements/tree/master/packages/report-schema */
interface Report {
  readonly files: Readonly<Record<string, ReportedFile>>;
}

interface ReportedFile {
  readonly source: string;
  readonly mutants: readonly ReportedMutant[];
}

interface ReportedMutant {
  readonly status: string;
  /** Message of the failed test, if there is one. */
  readonly statusReason?: string;
  readonly replacement: string;
  /** Its numbers start at 1. */
  readonly location: { readonly start: Place; readonly end: Place };
}

/** Place in a file. */
interface Place {
  readonly line: number;
  readonly column: number;
}

const outcomes: Readonly<Record<string, Outcome>> = {
  Killed: "detected",
  Timeout: "timeout",
  Survived: "survived",
  NoCoverage: "survived",
  RuntimeError: "unusable",
  CompileError: "unusable",
};

/** Returns the mutants of a report. */
export function readReport({ files }: Report): readonly Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return mutants.map((mutant) => readMutant(file, lines, mutant));
  });
}

function readMutant(file: string, lines: readonly string[], reported: ReportedMutant): Mutant {
  const { status, statusReason = "", replacement, location } = reported;
  // A test fails as well when its own time is over, which a busy machine is enough for.
  const outcome = statusReason.startsWith("Test timed out") ? "timeout" : outcomes[status];
  if (!outcome) throw new Error(`The status ${status} of a mutant is unknown; add it to report.ts`);
  return { ...readChange(file, lines, { replacement, location }), outcome };
}

/** Reads the change of a place whose numbers start at 1. */
export function readChange(
  file: string,
  lines: readonly string[],
  { replacement, location: { start, end } }: Pick<ReportedMutant, "replacement" | "location">,
): Change {
  const text = lines.slice(start.line - 1, end.line).join("\n");
  const tail = (lines[end.line - 1] ?? "").length - (end.column - 1);
  return {
    file,
    line: (lines[start.line - 1] ?? "").trim(),
    row: start.line,
    from: toOneLine(text.slice(start.column - 1, text.length - tail)),
    to: toOneLine(replacement),
  };
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
