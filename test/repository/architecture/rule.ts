import { Project, type SourceFile } from "ts-morph";
import { describe, expect, it } from "vitest";
import { files, pathOf } from "./sources.ts";

/** Rule that every checked file follows. */
export interface Rule {
  readonly name: string;
  /** Returns the problems of a file, one for each place that breaks the rule. */
  readonly check: (file: SourceFile) => string[];
  /** Samples that break the rule, by path. They prove that the check finds problems. */
  readonly broken: Readonly<Record<string, string>>;
}

/** Checks every file against rules, and the samples that break them. */
export function describeRules(rules: readonly Rule[]): void {
  describe.each(rules)("$name", ({ check, broken }) => {
    it("the rule holds in every file", () => {
      expect(files.flatMap((file) => check(file).map((problem) => `${pathOf(file)}: ${problem}`))).toEqual([]);
    });

    it.each(Object.entries(broken))("the rule does not hold in %s", (path, text) => {
      const file = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile(
        `${process.cwd()}/${path}`,
        text,
      );
      expect(check(file)).not.toEqual([]);
    });
  });
}
