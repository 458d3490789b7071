import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rooms } from "../repository/architecture/rooms.ts";
import { sourcesIn } from "./doc-comments.ts";

/* Guides for authors who know another package: both names of each row exist. */

const root = join(import.meta.dirname, "../..");
const ours = [...rooms.flatMap(sourcesIn), "docs/mount.md"].map(read).join("\n");

/** Guides with the packages whose names they list. Of packages that are not installed, only the names here are checked. */
const guides = [
  {
    guide: "docs/from-official-sdk.md",
    packages: ["client", "server", "sdk/dist/esm"].map((name) => `node_modules/@modelcontextprotocol/${name}`),
  },
  { guide: "docs/from-fastmcp.md", packages: [] },
] as const;

describe.each(guides)("the tables of $guide", ({ guide }) => {
  const rows = rowsOf(read(guide));

  it("the tables have names on both sides", () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it("the names of this package exist", () => {
    expect(rows.flatMap(([, right]) => namesOf(right)).filter((name) => !hasName(ours, name))).toEqual([]);
  });
});

it.each(guides.filter(({ packages }) => packages.length > 0))(
  "the tables of $guide have names of the other package that exist",
  ({ guide, packages }) => {
    const theirs = packages.flatMap(declarationsIn).map(read).join("\n");
    const names = rowsOf(read(guide)).flatMap(([left]) => namesOf(left));
    expect(names.filter((name) => !hasName(theirs, name))).toEqual([]);
  },
);

describe("a row", () => {
  it("a row is read with its two cells, and its names are those in code", () => {
    const [row = ["", ""]] = rowsOf("| a | b |\n| --- | --- |\n| `read(uri)` | `x.y`, not this |");
    expect(row.map(namesOf)).toEqual([
      ["read", "uri"],
      ["x", "y"],
    ]);
    expect(hasName("class reader", "read")).toBe(false);
  });
});

/** Returns the cells of the tables, without their heads. */
function rowsOf(markdown: string): (readonly [left: string, right: string])[] {
  return [...markdown.matchAll(/^\| +(.+?) +\| +(.+?) +\|$/gm)]
    .map(([, left = "", right = ""]) => [left, right] as const)
    .filter(([left], index, all) => !isRule(left) && !isRule(all[index + 1]?.[0] ?? ""));
}

function isRule(cell: string): boolean {
  return /^:?-+:?$/.test(cell);
}

/** Returns the identifiers in code. */
function namesOf(cell: string): string[] {
  const code = [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replaceAll(/"[^"]*"/g, ""));
  return code.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []);
}

function hasName(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

function declarationsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.d\.m?ts$/.test(file))
    .map((file) => join(folder, file));
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
