import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { relativePath } from "../../internal/files.ts";
import type { RevisionModel } from "../../model.ts";
import { parseSource, locationOf, ts } from "../../read/syntax.ts";
import { hasInterfaces, sidesOf } from "./type-names.ts";
import { SpecError } from "../../internal/spec-error.ts";

/** Name of the protocol, removed or deprecated by a newer revision. */
export interface RemovedName {
  readonly kind: "removed" | "deprecated";
  readonly what: "method" | "type";
  readonly name: string;
  /** Replacement for the name, where the revision documents one; else the reason. */
  readonly advice: string;
}

/** Use of such a name in the user's code. */
export interface NameUse extends RemovedName {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly line: number;
}

/** Returns the names of one revision that another one removes or deprecates. */
export function findRemovedNames(older: RevisionModel, newer: RevisionModel): RemovedName[] {
  const before = namesOf(older);
  const after = namesOf(newer);
  const known = new Map(after.map((name) => [`${name.what} ${name.name}`, name]));
  const moved = before.flatMap((name): RemovedName[] => {
    const found = known.get(`${name.what} ${name.name}`);
    if (!found) return [{ ...name, kind: "removed", advice: `${newer.id} has no such ${name.what}` }];
    const isNews = found.deprecated !== undefined && name.deprecated === undefined;
    return isNews ? [{ ...name, kind: "deprecated", advice: found.deprecated || `deprecated in ${newer.id}` }] : [];
  });
  return [
    ...new Map(moved.map(({ kind, what, name, advice }) => [`${what} ${name}`, { kind, what, name, advice }])).values(),
  ];
}

interface Named {
  readonly what: RemovedName["what"];
  readonly name: string;
  readonly deprecated: string | undefined;
}

function namesOf({ methods, declarations }: RevisionModel): Named[] {
  return [
    ...methods.map(({ name, doc }): Named => ({ what: "method", name, deprecated: doc?.deprecated })),
    ...declarations.map(({ name, doc }): Named => ({ what: "type", name, deprecated: doc?.deprecated })),
  ];
}

/** Finds uses of such names in the sources of a project, without its generated layer. Nothing is executed. */
export async function findNameUses(project: string, moved: readonly RemovedName[]): Promise<NameUse[]> {
  if (moved.length === 0) return [];
  const files = await listSources(project);
  const uses = files.map(async (path) => scan(relativePath(project, path), await readFile(path, "utf8"), moved));
  return (await Promise.all(uses)).flat();
}

/** Lists the sources of a project, without its generated layer. */
export async function listSources(project: string): Promise<string[]> {
  const folders = ["src", "test"].map((name) => join(project, name));
  const entries = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  const files = entries.flat().filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name));
  const layer = join(project, "src", "mcp") + sep;
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(layer))
    .sort();
}

/** Matches an import of the layer from any folder of the project, also by an alias such as `@/mcp`, or of a revision from the runtime. */
const layerImport =
  /\b(?:from|import)[\s(]*["'](?:(?:(?:\.{1,2}|[@~#]|src)\/(?:[^"'\n]*\/)?|#)mcp(?:\/|(?:\.[jt]s)?["'])|mcp-server-runtime\/\d)/;

/** Finds uses in one file. Only files that import the layer are searched. The compiler reports files with syntax errors. */
function scan(file: string, text: string, moved: readonly RemovedName[]): NameUse[] {
  if (!layerImport.test(text)) return [];
  // Tests of a project send requests of several revisions.
  const searched = file.startsWith("test/") ? moved.filter(({ what }) => what === "type") : moved;
  const byName = new Map(searched.map((one) => [`${one.what} ${one.name}`, one]));
  const uses: NameUse[] = [];
  const visit = (node: ts.Node): void => {
    const found = byName.get(describe(node) ?? "");
    if (found) uses.push({ ...found, file, line: locationOf(node).line });
    ts.forEachChild(node, visit);
  };
  try {
    visit(parseSource(file, text.replaceAll("\r\n", "\n")));
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
  }
  return uses;
}

/** Returns the name behind a node: a method by its text, a type by its reference. Names of members are too common to be matched. */
function describe(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node)) return `method ${node.text}`;
  const name = typeNameOf(node);
  if (!name) return undefined;
  const { right = name } = sidesOf(name);
  return ts.isIdentifier(right) ? `type ${right.text}` : undefined;
}

function typeNameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  const isBase = ts.isExpressionWithTypeArguments(node) && ts.isHeritageClause(node.parent);
  return isBase && hasInterfaces(node.parent) ? node.expression : undefined;
}
