import { parseSource, ts } from "../../read/syntax.ts";
import { UserError } from "../../internal/user-error.ts";
import { declarationOf, importOf } from "./unregister.ts";

/** Definition to register with a server. */
export interface Registration {
  /** Member of the server definition, such as `tools`. */
  readonly member: string;
  readonly variable: string;
  /** Module with the definition, as the file imports it. */
  readonly from: string;
  /** Name of the export, if the file imports it under another one. */
  readonly exported?: string;
  /** `entry` of a list, by default; `spread`: a list whose entries are added; `value`: the member itself, which becomes a list if it is there. */
  readonly as?: "entry" | "spread" | "value";
}

/**
 * Adds an import, and an entry in a list of `defineServer({ ... })`, to a server's source. Nothing else of it changes.
 * @throws {UserError} when the source has no place for the entry.
 */
export function register(path: string, source: string, registration: Registration): string {
  const file = parseSource(path, source);
  const definition = findDefinition(file);
  if (!definition)
    throw new UserError(
      `${path} has no defineServer({ ... }); write the definition there as an object literal, and try again.`,
    );
  const { variable, from, exported } = registration;
  if (importOf(file, variable) ?? declarationOf(file, variable))
    throw new UserError(`${path} uses the name ${variable} for something else already; choose another name.`);
  const imported = exported === undefined ? variable : `${exported} as ${variable}`;
  const edits = [
    importEdit(file, `import { ${imported} } from "${from}";\n`),
    ...entryEdits(path, definition, registration),
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

function entryText({ variable, as }: Registration): string {
  return as === "spread" ? `...${variable}` : variable;
}

function entryEdits(path: string, definition: ts.ObjectLiteralExpression, registration: Registration): Edit[] {
  const { member, as } = registration;
  const entry = entryText(registration);
  const property = definition.properties.find(({ name }) => name && isKey(name) && name.text === member);
  const spread = definition.properties.find(ts.isSpreadAssignment);
  if (!property && spread) {
    const text = spread.expression.getText();
    const object = /^[\w$.]+$/.test(text) ? text : `(${text})`;
    const written = `${member}: [...${object}.${member}]`;
    throw new UserError(`${member} in ${path} may be in a spread object; write "${written}" after it, and try again.`);
  }
  if (!property) return [newMember(definition, as === "value" ? `${member}: ${entry}` : `${member}: [${entry}]`)];
  if (as === "value" && ts.isShorthandPropertyAssignment(property))
    return [{ at: property.getEnd(), insert: `: [${member}, ${entry}]` }];
  const list = ts.isPropertyAssignment(property) ? property.initializer : undefined;
  if (list && ts.isArrayLiteralExpression(list)) {
    const last = list.elements.at(-1);
    return [last ? { at: last.getEnd(), insert: `, ${entry}` } : { at: list.getEnd() - 1, insert: entry }];
  }
  if (!list || as !== "value") {
    const written = `${member}: [...${list?.getText() ?? member}]`;
    throw new UserError(`${member} in ${path} is not a list in brackets; write "${written}", and try again.`);
  }
  return [
    { at: list.getStart(), insert: "[" },
    { at: list.getEnd(), insert: `, ${entry}]` },
  ];
}

function isKey(name: ts.PropertyName): name is ts.Identifier | ts.StringLiteral {
  return ts.isIdentifier(name) || ts.isStringLiteral(name);
}

function newMember(definition: ts.ObjectLiteralExpression, text: string): Edit {
  const last = definition.properties.at(-1);
  if (!last) return { at: definition.getStart() + 1, insert: ` ${text} ` };
  const source = definition.getSourceFile().text;
  const indent = /[ \t]*$/.exec(source.slice(0, last.getStart()))?.[0] ?? "";
  const isOnOwnLine = source.charAt(last.getStart() - indent.length - 1) === "\n";
  return { at: last.getEnd(), insert: isOnOwnLine ? `,\n${indent}${text}` : `, ${text}` };
}
