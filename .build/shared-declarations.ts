import { posix } from "node:path";
import ts from "typescript";

interface Declaration {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/**
 * Replaces what two revisions declare with the same words by exports from the newer one, in declaration files of types by path, newest first. A type is
 * shared if all types it refers to are: about a sixth of the text.
 */
export function shareDeclarations(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const paths = [...texts.keys()];
  const all = new Map([...texts].map(([path, text]) => [path, readDeclarations(text)]));
  return new Map(
    paths.map((path, at) => {
      const [own, newer = ""] = [all.get(path) ?? new Map(), paths[at - 1]];
      return [path, withoutShared(own, findShared(own, all.get(newer) ?? new Map()), posix.dirname(newer))];
    }),
  );
}

/** Declarations of a file by name, in their order. */
type Declarations = ReadonlyMap<string, Declaration>;

function readDeclarations(text: string): Declarations {
  const source = ts.createSourceFile("types.d.ts", text, ts.ScriptTarget.Latest, true);
  return new Map(
    source.statements.map((statement) => {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      const names = new Set<string>();
      const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node)) names.add(node.text);
        ts.forEachChild(node, visit);
      };
      visit(statement);
      const full = statement.getFullText().trim();
      return [isType ? statement.name.text : full, { text: full, names: isType ? names : new Set() }];
    }),
  );
}

/** Returns the names of types that are the same in both files, down to every type that they refer to. */
function findShared(own: Declarations, newer: Declarations): ReadonlySet<string> {
  const isSame = ([name, { text, names }]: [string, Declaration]): boolean =>
    names.size > 0 && newer.get(name)?.text === text;
  const shared = new Set([...own].filter(isSame).map(([name]) => name));
  for (let before = -1; before !== shared.size;) {
    before = shared.size;
    for (const name of shared)
      for (const used of own.get(name)?.names ?? []) if (own.has(used) && !shared.has(used)) shared.delete(name);
  }
  return shared;
}

function withoutShared(own: Declarations, shared: ReadonlySet<string>, folder: string): string {
  const kept = [...own].filter(([name]) => !shared.has(name)).map(([, declaration]) => declaration);
  const used = new Set(kept.flatMap(({ names }) => [...names]).filter((name) => shared.has(name)));
  const from = `from "../${posix.basename(folder)}/types.js";`;
  return [
    ...(used.size > 0 ? [`import type { ${[...used].join(", ")} } ${from}`] : []),
    ...(shared.size > 0 ? [`export type { ${[...shared].join(", ")} } ${from}`] : []),
    ...kept.map(({ text }) => text),
    "",
  ].join("\n");
}
