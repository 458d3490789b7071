/** A top-level statement of a source file. */
export class SourcePart {
  /** Text with the comments above the statement; ends with one line break. */
  readonly text: string;
  /** Name that the statement declares; `undefined` for a statement without a name. */
  readonly name: string | undefined;
  #words: ReadonlySet<string> | undefined;

  constructor(text: string, name: string | undefined) {
    this.text = text;
    this.name = name;
  }

  /** Words that may be names, except those in block comments. Computed on first use: most statements are left out. */
  get words(): ReadonlySet<string> {
    return (this.#words ??= wordsOf(withoutComments(this.text)));
  }
}

/** Name that a file imports from another. */
export interface ImportedName {
  readonly local: string;
  /** Name in the other file; `*` for a namespace import. */
  readonly name: string;
  readonly from: string;
  readonly isType: boolean;
}

/** Names that a file re-exports from another; `*` for all. */
export interface ReExport {
  readonly text: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** A source file, split into its parts. */
export interface SourceParts {
  /** Comment lines at the top that belong to the file. */
  readonly header: string;
  readonly imports: readonly ImportedName[];
  readonly reExports: readonly ReExport[];
  readonly parts: readonly SourcePart[];
}

/**
 * Splits one of our sources into its top-level statements. It relies on their format: every statement begins at the left margin with a keyword, and
 * continuation lines are indented or close a bracket.
 */
export function readSourceParts(source: string): SourceParts {
  const imports: ImportedName[] = [];
  const reExports: ReExport[] = [];
  const parts: SourcePart[] = [];
  const header = headerPattern.exec(source)?.[0] ?? "";
  for (const { text, code } of splitStatements(source.slice(header.length))) {
    const imported = importPattern.exec(code);
    const exported = imported ? null : reExportPattern.exec(code);
    if (imported) imports.push(...readImport(imported));
    else if (exported) reExports.push(readReExport(text, exported));
    else parts.push(new SourcePart(text, declarationPattern.exec(code)?.[1]));
  }
  return { header: header.trimEnd(), imports, reExports, parts };
}

/** Returns the words of a text that may refer to names of the file: no strings, members or keys. */
function wordsOf(code: string): ReadonlySet<string> {
  const bare = code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
  return new Set(bare.match(namePattern));
}

const namePattern = /(?<=\.\.\.|case )[A-Za-z_$][\w$]*|(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$]|\??:)/g;

/** Returns the members that are read from a namespace import: `checkTool` of `check.checkTool`. */
export function membersOf(namespace: string, code: string): string[] {
  const pattern = new RegExp(String.raw`(?<![\w$.])${namespace}\.([A-Za-z_$][\w$]*)`, "g");
  return [...code.matchAll(pattern)].map(([, name = ""]) => name);
}

/** Returns the text of an import of these names, in the format of our sources. */
export function importText(names: readonly ImportedName[], from: string): string {
  const whole = names.find(({ name }) => name === "*");
  const keyword = names.every(({ isType }) => isType) ? "import type" : "import";
  if (whole) return `${keyword} * as ${whole.local} from "${from}";\n`;
  const specifiers = names.map((name) => specifierText(name, keyword));
  const line = `${keyword} { ${specifiers.join(", ")} } from "${from}";\n`;
  if (line.length <= lineWidth + 1) return line;
  return `${keyword} {\n${specifiers.map((specifier) => `  ${specifier},\n`).join("")}} from "${from}";\n`;
}

/** Maximum length of lines in our sources, in characters. */
export const lineWidth = 120;

function specifierText({ local, name, isType }: ImportedName, keyword: string): string {
  const names = local === name ? name : `${name} as ${local}`;
  return isType && keyword === "import" ? `type ${names}` : names;
}

const importPattern = /^import (type )?(?:\* as (\w+)|\{([^}]*)\}|(\w+)) from "([^"]+)";\n*$/;

const reExportPattern = /^export (?:type )?(?:\*(?: as (\w+))?|\{([^}]*)\}) from "([^"]+)";\n*$/;

const declarationPattern =
  /^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const) ([A-Za-z_$][\w$]*)/;

const headerPattern = /^(?:\/\/.*\n)+/;

/** Matches the start of statements, and of comments above them. */
const startPattern = /^(?:\/\*\*|\/\/|[a-z])/gm;

interface Statement {
  /** Text with the comments above the statement; ends with one line break. */
  readonly text: string;
  /** Text without comments. */
  readonly code: string;
}

/** Splits a source into statements. A comment directly above a statement belongs to it; other comments refer to later code, which may be left out. */
function splitStatements(source: string): readonly Statement[] {
  const statements: Statement[] = [];
  const starts = [...source.matchAll(startPattern)].map(({ index }) => index);
  let from = starts[0] ?? 0;
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? source.length;
    const text = source.slice(start, end);
    const isComment = text.startsWith("/");
    const isBound = isComment && !text.includes("\n\n");
    if (!isComment) {
      const own = `${text.trimEnd()}\n`;
      statements.push({
        text: source.slice(from, start) + own,
        code: own.includes("\n/*") ? withoutComments(own) : own,
      });
    }
    if (!isBound) from = end;
  }
  return statements;
}

function withoutComments(text: string): string {
  return text.replaceAll(/^ *(?:\/\*[^]*?\*\/\n?|\/\/.*\n)/gm, "");
}

function readImport([, type, whole, list, single, from = ""]: RegExpExecArray): ImportedName[] {
  const isType = type !== undefined;
  if (whole !== undefined) return [{ local: whole, name: "*", from, isType }];
  if (single !== undefined) return [{ local: single, name: "default", from, isType }];
  return specifiersOf(list).map((specifier) => {
    const own = specifier.startsWith("type ");
    const [name = "", local = name] = specifier.replace(/^type /, "").split(" as ");
    return { local, name, from, isType: isType || own };
  });
}

function readReExport(text: string, [, , list, from = ""]: RegExpExecArray): ReExport {
  const names = list === undefined ? ["*"] : specifiersOf(list).map(exportedName);
  return { text, from, names };
}

function exportedName(specifier: string): string {
  return specifier.replace(/^type /, "").split(" as ")[0] ?? "";
}

function specifiersOf(list: string | undefined): string[] {
  return (list ?? "")
    .split(",")
    .map((specifier) => specifier.trim())
    .filter((specifier) => specifier !== "");
}
