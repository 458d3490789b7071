/** A part of the run: one command line, with an exit code of its own. */
export interface Stage {
  readonly name: string;
  /** Cores that it keeps busy, measured as processor time over wall time. */
  readonly cores: number;
  /** Command line of bash, at the root of the repository. Vitest writes its report to the file in `TEST_REPORT`. */
  readonly command: string;
  readonly repeat: Repeat;
}

/** What is run once more, by itself, after a stage has failed. */
export type Repeat =
  /** Nothing: an oracle is right or wrong. */
  | { readonly kind: "never" }
  /** The stage. */
  | { readonly kind: "stage" }
  /** The test files that failed, which the command line takes at its end. */
  | { readonly kind: "files"; readonly option: string }
  /** The command lines that the output names after "failed: ". */
  | { readonly kind: "named" };

/** A script of package.json that runs test files with Vitest. An option may precede each file that is run again. */
export function testFiles(name: string, cores: number, command: string, option = ""): Stage {
  return { name, cores, command, repeat: { kind: "files", option } };
}

/** Tests that are right or wrong, whatever the machine does. */
export function oracle(name: string, cores: number, command: string): Stage {
  return { name, cores, command, repeat: { kind: "never" } };
}

/** Something else that is run as a whole. */
export function whole(name: string, cores: number, command: string): Stage {
  return { name, cores, command, repeat: { kind: "stage" } };
}
