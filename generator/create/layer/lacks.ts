/** Removes the lacks of declarations that a project does not use, and of methods that no handler calls: its compile errors never quote them. */
export function trimLacks(source: string, names: readonly string[]): string {
  return source
    .replaceAll(memberReasons, (text, name: string) => (names.includes(name) ? text : ""))
    .replaceAll(methodReason, (text, name: string) => (questions.includes(name) ? text : ""))
    .replaceAll(emptyList, "{};\n");
}

/** Requests that handlers send to clients. */
const questions: readonly string[] = ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];

/** Matches the reasons for the properties of one declaration. */
const memberReasons = /^    (\w+): \{\n(?:      .*\n)*    \};\n/gm;

const methodReason = /^    (\w+): ".*";\n/gm;

const emptyList = /\{\n  \};\n/g;
