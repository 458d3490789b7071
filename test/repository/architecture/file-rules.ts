import { ts, type SourceFile } from "ts-morph";
import { isMarkedExported } from "./nodes.ts";
import type { Rule } from "./rule.ts";
import { isIn, quote, specifiersOf } from "./sources.ts";

/** Rules for files: their length, their names, and the comments of their exports. */
export const fileRules: readonly Rule[] = [
  {
    name: "2. no revision date outside the data",
    check: (file) => (isIn(file, "generated") ? [] : dateLiterals(file)),
    broken: {
      "runtime/jsonrpc/a.ts": 'export const a = "2025-11-25";',
      "generator/a.ts": "export const a = `id ${1} 2026-07-28`;",
      "generator/b.ts": "// Only for 2024-11-05.\nexport const a = 1;",
    },
  },
  {
    name: "no file of more than 400 lines",
    check: (file) => {
      const lines = file.getFullText().split("\n").length - 1;
      return isIn(file, "generated") || lines <= 400 ? [] : [`${lines} lines`];
    },
    broken: { "runtime/jsonrpc/a.ts": "export const a = 1;\n".repeat(401) },
  },
  {
    name: "files are named in kebab-case, and imported with their extension",
    check: (file) => [
      ...(/^[a-z\d]+(-[a-z\d]+)*\.tsx?$/.test(file.getBaseName()) ? [] : [file.getBaseName()]),
      ...specifiersOf(file).filter((specifier) => specifier.startsWith(".") && !/\.tsx?$/.test(specifier)),
    ],
    broken: { "runtime/jsonrpc/aB.ts": "export const a = 1;", "runtime/jsonrpc/b.ts": 'import "./a.js";' },
  },
  {
    name: "every export of hand-written code says what it is",
    check: (file) => (isIn(file, "generated") ? [] : undocumented(file)),
    broken: {
      "runtime/jsonrpc/a.ts": "export interface A {}",
      "runtime/jsonrpc/b.ts": "const b = 1;\nexport { b };",
      "generator/a.ts": "export const a = 1;",
    },
  },
];

/** Returns the lines with dates in code, and in comments unless the date is part of a link to the specification. */
function dateLiterals(file: SourceFile): string[] {
  const date = /20\d\d-\d\d-\d\d/;
  const lines = file.getFullText().split("\n");
  return lines.filter((line) =>
    date.test(line.replace(/(@see|\() ?https:\/\/\S+|https:\/\/modelcontextprotocol\.io\/specification\/\S+/g, "")),
  );
}

function undocumented({ compilerNode }: SourceFile): string[] {
  const later = new Set(
    compilerNode.statements.flatMap((statement) =>
      ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
        : [],
    ),
  );
  // Overloads of a function are documented at the first.
  const seen = new Set<string>();
  return compilerNode.statements.flatMap((statement) => {
    const names = namesOf(statement);
    const isRepeated = names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    const isExported = isMarkedExported(statement) || names.some((name) => later.has(name));
    const isDocumented = ts.getJSDocCommentsAndTags(statement).length > 0;
    return isExported && !isRepeated && !isDocumented ? [quote(statement)] : [];
  });
}

/** Returns the names that a statement declares. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isDeclaration =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name ? [statement.name.text] : [];
}
