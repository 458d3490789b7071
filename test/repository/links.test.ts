import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { rooms } from "./architecture/rooms.ts";
import { anchorsOf, linksOf } from "./markdown.ts";

/* Links of the documentation lead to a file and a heading, and links to the specification to a page of a revision, which does not change. */

const root = join(import.meta.dirname, "../..");

/** Pages of each revision: the anchors of a page, separated by spaces, by its path. */
const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(root, "test/repository/spec-pages.json"), "utf8"),
);

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["bench", "docs", "spec", ".github"].flatMap((folder) => filesIn(folder, /\.md$/)),
];

const sources = [
  ...documents,
  ...["examples", "generated", ...rooms, "spec", "templates"].flatMap((folder) =>
    filesIn(folder, /\.(ts|js|json|jsonc|hbs|md)$/),
  ),
];

describe("relative links", () => {
  it.each(documents)("relative links of %s lead to a file, and to a heading in it", (document) => {
    expect(linksOf(read(document)).flatMap(({ target, line }) => rejectLink(document, target, line))).toEqual([]);
  });

  it("relative links are rejected without such a file or heading", () => {
    const text =
      "# A [b](c.md)\n[d](README.md#no-such-heading) `[e](f.md)`\n```\n[g](h.md)\n```\n[i](README.md#quick-start)";
    expect(linksOf(text).flatMap(({ target, line }) => rejectLink("x.md", target, line))).toEqual([
      "x.md:1: c.md does not exist",
      "x.md:2: README.md has no heading #no-such-heading",
    ]);
  });
});

describe("links to the specification", () => {
  it("links to the specification lead to a page of a known revision, and to a heading in it", () => {
    const found = sources.flatMap((file) => specificationLinks(read(file)).map((link) => ({ file, link })));
    expect(found.length).toBeGreaterThan(100);
    expect(found.flatMap(({ file, link }) => rejectPage(link).map((problem) => `${file}: ${problem}`))).toEqual([]);
  });

  it("links to the specification are rejected if the page floats, moves or does not exist", () => {
    const base = "https://modelcontextprotocol.io/specification";
    expect(rejectPage(`${base}/latest/basic`)).toHaveLength(1);
    expect(rejectPage(`${base}/draft/basic`)).toHaveLength(1);
    expect(rejectPage(`${base}/2026-07-28/basic/lifecycle`)).toHaveLength(1);
    expect(rejectPage(`${base}/2026-07-28/basic/index#no-such-heading`)).toHaveLength(1);
    expect(rejectPage(`${base}/2026-07-28/basic#messages`)).toEqual([]);
    expect(rejectPage(`${base}/2025-11-25`)).toEqual([]);
  });

  it("links to the specification are found where a constant has their first part", () => {
    const text =
      'const base = "https://modelcontextprotocol.io/specification/2025-11-25"; const help = `${base}/server/tools#tool`;';
    expect(specificationLinks(text)).toContain(
      "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool",
    );
  });
});

function rejectLink(document: string, target: string, line: number): string[] {
  if (/^[a-z]+:/i.test(target)) return [];
  const [path = "", anchor] = decodeURI(target).split("#");
  const file = path === "" ? document : join(dirname(document), path);
  const where = `${document}:${line}:`;
  if (!existsSync(join(root, file))) return [`${where} ${path} does not exist`];
  if (anchor === undefined || statSync(join(root, file)).isDirectory()) return [];
  return readAnchors(file).has(anchor) ? [] : [`${where} ${path} has no heading #${anchor}`];
}

/** Anchors of each file, read once: pages about the protocol have thousands of links. */
const anchors = new Map<string, ReadonlySet<string>>();

function readAnchors(file: string): ReadonlySet<string> {
  const found = anchors.get(file) ?? new Set(anchorsOf(read(file)));
  anchors.set(file, found);
  return found;
}

/** Returns the links of a text. A constant that holds the first part of links is put in place of its name in templates. */
function specificationLinks(text: string): string[] {
  const constants = text.matchAll(/const (\w+) = "(https:\/\/modelcontextprotocol\.io\/specification\/[^"]*)"/g);
  const whole = [...constants].reduce((done, [, name, start = ""]) => done.replaceAll(`\${${name}}`, start), text);
  return whole.match(/https:\/\/modelcontextprotocol\.io\/specification\b[^\s"'`)>,;]*/g) ?? [];
}

function rejectPage(link: string): string[] {
  const [address = "", anchor] = link.split("#");
  const [revision = "", ...parts] = new URL(address).pathname.split("/").slice(2);
  const known = pages[revision];
  if (!known) return [`${link} names no known revision`];
  const page = parts.join("/");
  const anchors = known[page] ?? known[page === "" ? "index" : `${page}/index`];
  if (anchors === undefined) return [`${link} is no page of ${revision}`];
  // The site drops the underscore of `_meta`, GitHub does not.
  const isFound =
    anchor === undefined || anchors.split(" ").some((each) => each.replace(/^_/, "") === anchor.replace(/^_/, ""));
  return isFound ? [] : [`${link} is no heading of its page`];
}

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => name.test(path) && !/node_modules|\.vitepress/.test(path))
    .filter((path) => statSync(join(root, folder, path)).isFile())
    .map((path) => join(folder, path).split(sep).join("/"));
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
