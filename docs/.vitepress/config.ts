import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { anchorOf } from "../../tools/reference/markdown.ts";
import { searchOptions } from "./search.ts";

/* Settings of the documentation site, which `.build/site.ts` builds. */

/** Links in the order of the navigation, as `.build/site.ts` writes them. */
interface Navigation {
  readonly repository: string;
  readonly sidebar: readonly SidebarGroup[];
  /** Titles and descriptions of guides by their addresses. */
  readonly descriptions: Readonly<Record<string, string>>;
}

interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Part of a Markdown token that is read and changed here. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Page {
  readonly relativePath: string;
}

type TextRule = (...args: readonly unknown[]) => string;

interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { readonly tokens: readonly Token[]; readonly env: Page }) => void): void;
    };
  };
  readonly renderer: { readonly rules: { text?: TextRule | undefined } };
  render(text: string, page: Page): string;
}

const pages = join(import.meta.dirname, "pages");
const { repository, sidebar, descriptions }: Navigation = JSON.parse(
  readFileSync(join(pages, "navigation.json"), "utf8"),
);

export default {
  title: "create-mcp-server",
  description:
    "Model Context Protocol servers and clients in TypeScript: guides, protocol reference and API reference.",
  lang: "en",
  srcDir: ".vitepress/pages",
  // Icons and fonts are part of the site. The page asks no other server for anything.
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, readFileSync(join(import.meta.dirname, "style.css"), "utf8")],
  ],
  markdown: {
    // The usual themes are too pale on the background of code.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // Braces in prose are text.
    attrs: { disable: true },
    // The anchors of GitHub, so that links work in the repository and on the site.
    anchor: { slugify: anchorOf },
    config: (markdown: Markdown) => {
      const { text } = markdown.renderer.rules;
      const keepDates: TextRule = (...args) => text?.(...args).replaceAll(/\b20\d\d-\d\d-\d\d\b/g, date) ?? "";
      markdown.renderer.rules.text = keepDates;
      markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const target = token.type === "link_open" ? token.attrGet("href") : null;
          if (target !== null) token.attrSet("href", toSite(target, env.relativePath));
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/guides" },
      { text: "Protocol", link: "/protocol/" },
      { text: "API", link: "/api/" },
      { text: "GitHub", link: repository },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: { _render: renderForSearch, miniSearch: { searchOptions: searchOptions(sidebar, descriptions) } },
    },
  },
};

/** A line does not break inside the name of a revision. */
const date = '<span class="revision">$&</span>';

/** Links to files that are not part of the site lead to the repository. */
function toSite(target: string, page: string): string {
  if (/^[a-z]+:|^#|^\//i.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const inDocs = posix.normalize(posix.join(posix.dirname(page), path));
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (inDocs.startsWith("../")) return `${repository}/blob/main/${inDocs.slice("../".length)}${hash}`;
  if (!inDocs.endsWith(".md")) return `${repository}/blob/main/docs/${inDocs}${hash}`;
  if (inDocs === "README.md") return `${path.replace(/README\.md$/, "guides.md")}${hash}`;
  return `${path.replace(/(^|\/)README\.md$/, "$1index.md")}${hash}`;
}

/** The indexes repeat what other pages say, and nobody can import what is not exported. Of the API reference, only headings can be found: an index of its texts would take several megabytes. */
function renderForSearch(text: string, page: Page, markdown: Markdown): string {
  if (/^(index|guides)\.md$|\/Not-exported\.md$/.test(page.relativePath)) return "";
  if (!page.relativePath.startsWith("api/")) return markdown.render(text, page);
  const html = markdown.render(text.replaceAll(/^```[^]*?^```/gm, ""), page);
  return (html.match(/<h([1-3])[^]*?<\/h\1>/g) ?? []).map((heading) => `${heading}<p></p>`).join("\n");
}
