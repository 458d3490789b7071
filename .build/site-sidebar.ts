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

/** Reads the sidebar from the indexes of the pages: the tables of the guides and of the protocol, and the list of entry points. */
export async function readSidebar(pages: string): Promise<SidebarGroup[]> {
  const [guides, entries, protocol] = await Promise.all([
    readFile(join(pages, "index.md"), "utf8"),
    readFile(join(pages, "api", "index.md"), "utf8"),
    readProtocol(join(pages, "protocol")),
  ]);
  return [
    { text: "Guides", collapsed: false, items: linksIn(guides, /^\| \[([^\]]+)\]\(([\w-]+)\.md\)/gm, "/") },
    { text: "Protocol", collapsed: false, items: protocol },
    {
      text: "API",
      collapsed: true,
      items: [{ text: "Overview", link: "/api/" }, ...linksIn(entries, /^- \[([^\]]+)\]\((.+)\.md\)/gm, "/api/")],
    },
  ];
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
