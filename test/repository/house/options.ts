import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ts, type SourceFile } from "ts-morph";
import { nodesOf } from "../architecture/nodes.ts";
import { isOfRuntime } from "../architecture/rooms.ts";
import { pathOf } from "../architecture/sources.ts";
import { atMost, partOf, type Figure } from "./figure.ts";

/** Returns the figures of published options: types, members, and members that no guide, example or template names. */
export function measureOptions(files: readonly SourceFile[]): Figure[] {
  const published = new Set(readFileSync("test/packages/api.json", "utf8").match(/\w+Options(?=")/g));
  const types = readOptions(files.filter((file) => isOfRuntime(pathOf(file)))).filter(({ name }) =>
    published.has(name),
  );
  const words = readWords(["docs", "examples", "templates"]);
  const members = types.flatMap((type) => type.members);
  const unnamed = new Set(members.filter((name) => !words.has(name)));
  return [
    atMost("options that no guide, example or template names", unnamed.size, 0),
    partOf("types", types.length),
    partOf("members", members.length),
  ];
}

/** Reads the interfaces whose names end with `Options`, inherited members included. */
export function readOptions(files: readonly SourceFile[]): { readonly name: string; readonly members: string[] }[] {
  const interfaces = files.flatMap((file) => nodesOf(file).filter(ts.isInterfaceDeclaration));
  const byName = new Map(interfaces.map((node) => [node.name.text, node]));
  const membersOf = (name: string): string[] => {
    const node = byName.get(name);
    const own = node?.members.flatMap((member) => member.name?.getText() ?? []) ?? [];
    const extended = node?.heritageClauses?.flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
    return [...own, ...(extended ?? []).flatMap(membersOf)];
  };
  return interfaces
    .filter(({ name }) => name.text.endsWith("Options"))
    .map(({ name }) => ({ name: name.text, members: membersOf(name.text) }));
}

/** Returns the words of all texts in folders. */
function readWords(folders: readonly string[]): ReadonlySet<string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:md|ts|tsx|hbs|json)$/.test(name) && !name.includes("node_modules"))
      .map((name) => join(folder, name)),
  );
  return new Set(paths.flatMap((path) => readFileSync(path, "utf8").match(/[A-Za-z_$][\w$]*/g) ?? []));
}
