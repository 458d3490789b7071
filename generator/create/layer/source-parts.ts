/** A top-level statement of a source file. */
export class SourcePart {
  /** With the comments above it; ends with one line break. */
  readonly text: string;
  /** What it declares; nothing for a statement without a name. */
  readonly name: string | undefined;
  #words: ReadonlySet<string> | undefined;

  constructor(text: string, name: string | undefined) {
    this.text = text;
    this.name = name;
  }

  /** Every word in it that may be the name of something, but for those in block comments. Looked for when somebody asks: most are left out. */
  get words(): ReadonlySet<string> {
    return (this.#words ??= wordsOf(withoutComments(this.text)));
  }
}

/** One name that a file takes from another. */
export interface ImportedName {
  readonly local: string;
  /** Name there; `*` for everything under one name. */
  readonly name: string;
  readonly from: string;
  readonly isType: boolean;
}

/** Names that a file gives on, from another; `*` for all. */
export interface ReExport {
  readonly text: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** A source file, taken apart. */
export interface SourceParts {
  /** Comment lines at the top that belong to the file. */
  readonly header: string;
  readonly imports: readonly ImportedName[];
  readonly reExports: readonly ReExport[];
  readonly parts: readonly SourcePart[];
}

/**
 * Takes a source of ours apart into its top-level statements. It relies on how our sources are formatted: every statement begins at the
 * left margin with a keyword, and whatever continues it is indented or closes a bracket.
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

/** The words of a text that may name something of the file: neither text in quotes, nor members, nor keys. */
function wordsOf(code: string): ReadonlySet<string> {
  const bare = code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
  return new Set(bare.match(namePattern));
}

const namePattern = /(?<=\.\.\.|case )[A-Za-z_$][\w$]*|(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$]|\??:)/g;

/** Members that are read from something that was imported as a whole: `check.checkTool`. */
export function membersOf(namespace: string, code: string): string[] {
  const pattern = new RegExp(String.raw`(?<![\w$.])${namespace}\.([A-Za-z_$][\w$]*)`, "g");
  return [...code.matchAll(pattern)].map(([, name = ""]) => name);
}

/** The text of an import of these names, formatted as all our sources are. */
export function importText(names: readonly ImportedName[], from: string): string {
  const whole = names.find(({ name }) => name === "*");
  const keyword = names.every(({ isType }) => isType) ? "import type" : "import";
  if (whole) return `${keyword} * as ${whole.local} from "${from}";\n`;
  const specifiers = names.map((name) => specifierText(name, keyword));
  const line = `${keyword} { ${specifiers.join(", ")} } from "${from}";\n`;
  if (line.length <= lineWidth + 1) return line;
  return `${keyword} {\n${specifiers.map((specifier) => `  ${specifier},\n`).join("")}} from "${from}";\n`;
}

/** How long lines of our sources are at most. */
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

/** Where statements, and comments above them, begin. */
const startPattern = /^(?:\/\*\*|\/\/|[a-z])/gm;

interface Statement {
  /** With the comments above it; ends with one line break. */
  readonly text: string;
  /** Without any between statements. */
  readonly code: string;
}

/** A comment belongs to the statement that follows it at once; others are about what follows, which may not be there. */
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
