import { parseSource, ts } from "../../read/syntax.ts";
import { UserError } from "../../internal/user-error.ts";

/** Definition to register with a server. */
export interface Registration {
  /** Member of the server definition, such as `tools`. */
  readonly member: string;
  readonly variable: string;
  /** Module that exports the definition, as the file imports it. */
  readonly from: string;
}

/**
 * Adds an import, and an entry in a list of `defineServer({ ... })`, to a server's source. Nothing else of it changes.
 * @throws {UserError} when the source has no place for the entry.
 */
export function register(path: string, source: string, registration: Registration): string {
  const file = parseSource(path, source);
  const definition = findDefinition(file);
  if (!definition) {
    const line = `${registration.member}: [${registration.variable}]`;
    throw new UserError(
      `${path} has no defineServer({ ... }) to put it into. Import it there by hand and write ${line}.`,
    );
  }
  const { variable, from } = registration;
  const edits = [
    importEdit(file, `import { ${variable} } from "${from}";\n`),
    entryEdit(path, definition, registration),
  ];
  const newline = source.includes("\r\n") ? "\r\n" : "\n";
  return edits
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, insert }) => text.slice(0, at) + insert.replaceAll("\n", newline) + text.slice(at), source);
}

interface Edit {
  readonly at: number;
  readonly insert: string;
}

function findDefinition(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "defineServer") {
    const [argument] = node.arguments;
    if (argument && ts.isObjectLiteralExpression(argument)) return argument;
  }
  return ts.forEachChild(node, findDefinition);
}

function importEdit(file: ts.SourceFile, insert: string): Edit {
  const last = file.statements.filter(ts.isImportDeclaration).at(-1);
  if (!last) return { at: 0, insert: `${insert}\n` };
  const after = last.getEnd();
  const [newline] = /^\r?\n/.exec(file.text.slice(after, after + 2)) ?? [];
  return newline === undefined
    ? { at: after, insert: `\n${insert.trimEnd()}` }
    : { at: after + newline.length, insert };
}

function entryEdit(path: string, definition: ts.ObjectLiteralExpression, { member, variable }: Registration): Edit {
  const property = definition.properties.find(
    (one): one is ts.PropertyAssignment =>
      ts.isPropertyAssignment(one) && ts.isIdentifier(one.name) && one.name.text === member,
  );
  if (!property) return newMember(definition, `${member}: [${variable}]`);
  const list = property.initializer;
  if (!ts.isArrayLiteralExpression(list))
    throw new UserError(`${member} in ${path} is not a list that is written out. Put ${variable} into it by hand.`);
  const last = list.elements.at(-1);
  if (!last) return { at: list.getEnd() - 1, insert: variable };
  return { at: last.getEnd(), insert: `, ${variable}` };
}

function newMember(definition: ts.ObjectLiteralExpression, text: string): Edit {
  const last = definition.properties.at(-1);
  if (!last) return { at: definition.getStart() + 1, insert: ` ${text} ` };
  const source = definition.getSourceFile().text;
  const indent = /[ \t]*$/.exec(source.slice(0, last.getStart()))?.[0] ?? "";
  const isOnOwnLine = source.charAt(last.getStart() - indent.length - 1) === "\n";
  return { at: last.getEnd(), insert: isOnOwnLine ? `,\n${indent}${text}` : `, ${text}` };
}
