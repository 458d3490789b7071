/** Leaves out what a revision lacks in declarations that a project does not build on: its compile errors quote none of it. */
export function trimLacks(source: string, names: readonly string[]): string {
  return source.replaceAll(memberReasons, (text, name: string) => (names.includes(name) ? text : ""));
}

/** The reasons for the properties of one declaration. */
const memberReasons = /^    (\w+): \{\n(?:      .*\n)*    \};\n/gm;
