import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";

/** Finds links of a built site that lead to no file or to no heading of the site. */
export async function findDeadLinks(site: string): Promise<string[]> {
  const names = (await readdir(site, { recursive: true })).map((name) => name.split(sep).join("/"));
  const pages = names.filter((name) => name.endsWith(".html"));
  const texts = new Map(await Promise.all(pages.map(async (name) => [name, await readPage(site, name)] as const)));
  const ids = new Map([...texts].map(([name, text]) => [name, idsIn(text)]));
  return [...texts].flatMap(([name, text]) => {
    const targets = new Set([...text.matchAll(/ href="([^"]+)"/g)].map(([, target = ""]) => decodeTarget(target)));
    return [...targets].filter((target) => isDead(target, name, names, ids)).map((target) => `${name}: ${target}`);
  });
}

function readPage(site: string, name: string): Promise<string> {
  return readFile(join(site, name), "utf8");
}

function idsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => decodeTarget(id)));
}

function decodeTarget(target: string): string {
  return decodeURI(target.replaceAll("&amp;", "&").replaceAll("&quot;", '"'));
}

function isDead(
  target: string,
  from: string,
  names: readonly string[],
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (/^[a-z]+:/i.test(target)) return false;
  const [path = "", anchor = ""] = target.split("#");
  const joined = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(from), path);
  const file = path === "" ? from : joined.replace(/(^|\/)$/, "$1index.html");
  if (!names.includes(file)) return true;
  return anchor !== "" && ids.get(file)?.has(anchor) === false;
}
