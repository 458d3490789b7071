/** Groups of the sidebar whose pages are looked up rather than read. A guide with the same words comes first. */
const lookedUp = ["Reference", "Proof", "Protocol"];

interface SidebarGroup {
  readonly text: string;
  readonly items: readonly { readonly link: string }[];
}

interface SearchOptions {
  readonly prefix: (term: string) => boolean;
  readonly fuzzy: (term: string) => number | false;
  readonly boost: Readonly<Record<string, number>>;
  readonly combineWith: "AND";
  readonly boostDocument: unknown;
}

/**
 * Returns the options of the site's search. They run in the browser, where they arrive as text: none may use a name from outside of its function, so that
 * what is known about pages becomes part of the text. Words of a guide's title and description count most: the description says what the guide is for.
 */
export function searchOptions(
  sidebar: readonly SidebarGroup[],
  descriptions: Readonly<Record<string, string>>,
): SearchOptions {
  const pages = sidebar
    .filter(({ text }) => lookedUp.includes(text))
    .flatMap(({ items }) => items.map(({ link }) => (link.endsWith("/") ? link : `${link}.html`)));
  const words = Object.fromEntries(
    Object.entries(descriptions).map(([link, text]) => [`${link}.html`, text.toLowerCase().split(/[^a-z\d]+/)]),
  );
  return {
    // Short words are the beginning of too many others.
    prefix: (term) => term.length > 3,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    boost: { title: 4, titles: 3, text: 1 },
    combineWith: "AND",
    // oxlint-disable-next-line typescript/no-implied-eval -- VitePress writes the text of the function into the page.
    boostDocument: new Function(
      "id",
      "term",
      `const page = id.replace(/#.*$/, "");
      if (page.startsWith("/api/")) return 0.05;
      if (${JSON.stringify(pages)}.includes(page)) return 0.2;
      const isDescribed = (word) => word === term || (word.length > 3 && term.startsWith(word));
      return (${JSON.stringify(words)}[page] ?? []).some(isDescribed) ? 6 : 1;`,
    ),
  };
}
