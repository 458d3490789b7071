import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Group of links in the sidebar of the site. */
export interface SidebarGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly SidebarItem[];
}

interface SidebarItem {
  readonly text: string;
  /** Address from the root of the site. */
  readonly link: string;
}

/** Reads the sidebar from the indexes of the pages: the groups of guides, the pages of the protocol, and the list of entry points. */
export async function readSidebar(pages: string): Promise<SidebarGroup[]> {
  const [guides, entries, protocol] = await Promise.all([
    readFile(join(pages, "guides.md"), "utf8"),
    readFile(join(pages, "api", "index.md"), "utf8"),
    readProtocol(join(pages, "protocol")),
  ]);
  return [
    ...readGroups(guides),
    { text: "Protocol", collapsed: true, items: protocol },
    {
      text: "API",
      collapsed: true,
      items: [{ text: "Overview", link: "/api/" }, ...linksIn(entries, /^- \[([^\]]+)\]\((.+)\.md\)/gm, "/api/")],
    },
  ];
}

/** Reads the groups of guides: a heading with a table each. A guide is a row of one of them, and nothing else has to name it. */
export function readGroups(index: string): SidebarGroup[] {
  return index.split(/^## /m).flatMap((section) => {
    const items = linksIn(section, /^\| \[([^\]]+)\]\(([\w-]+)\.md\)/gm, "/");
    return items.length === 0 ? [] : [{ text: section.split("\n")[0] ?? "", collapsed: false, items }];
  });
}

/** Returns the title and the description of each guide by its address: what the search looks at first. */
export function readDescriptions(index: string): Readonly<Record<string, string>> {
  const rows = index.matchAll(/^\| \[([^\]]+)\]\(([\w-]+)\.md\)\s*\| (.+?)\s*\|$/gm);
  return Object.fromEntries([...rows].map(([, title, page, use]) => [`/${page}`, `${title} ${use}`]));
}

function linksIn(text: string, pattern: RegExp, base: string): SidebarItem[] {
  return [...text.matchAll(pattern)].map(([, title = "", path = ""]) => ({
    text: title,
    link: `${base}${path.replace(/(^|\/)index$/, "$1")}`,
  }));
}

/** Lists the pages about the protocol: the overview, messages and types, extensions, and revisions, the newest first. */
async function readProtocol(folder: string): Promise<SidebarItem[]> {
  const files = (await readdir(folder)).filter((file) => file !== "index.md").sort();
  const items = await Promise.all(
    files.map(async (file) => {
      const title = /^# (.+)$/m.exec(await readFile(join(folder, file), "utf8"))?.[1] ?? file;
      return { text: title, link: `/protocol/${file.replace(/\.md$/, "")}` };
    }),
  );
  const isRevision = ({ link }: SidebarItem): boolean => /\/\d[^/]*$/.test(link);
  const isExtension = ({ text }: SidebarItem): boolean => text.startsWith("Extension");
  return [
    { text: "Overview", link: "/protocol/" },
    ...items.filter((item) => !isRevision(item) && !isExtension(item)),
    ...items.filter(isExtension),
    ...items.filter(isRevision).reverse(),
  ];
}
