/**
 * Leaves out what a revision lacks in declarations that a project does not build on, and in methods that no handler calls: its compile errors
 * quote none of it.
 */
export function trimLacks(source: string, names: readonly string[]): string {
  return source
    .replaceAll(memberReasons, (text, name: string) => (names.includes(name) ? text : ""))
    .replaceAll(methodReason, (text, name: string) => (questions.includes(name) ? text : ""))
    .replaceAll(emptyList, "{};\n");
}

/** What handlers ask clients. */
const questions: readonly string[] = ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];

/** The reasons for the properties of one declaration. */
const memberReasons = /^    (\w+): \{\n(?:      .*\n)*    \};\n/gm;

const methodReason = /^    (\w+): ".*";\n/gm;

const emptyList = /\{\n  \};\n/g;
