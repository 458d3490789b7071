import { readConversions } from "../../generator/conversions/conversions.ts";
import type { ExtensionModel, RevisionModel } from "../../generator/model.ts";
import { readChanges } from "./changes.ts";
import { extensionFile, extensionPage } from "./extension-page.ts";
import { groupOf } from "./groups.ts";
import { indexFile, indexPage } from "./index-page.ts";
import { envelopeFile, layOut, sharedFile, type MessagePage } from "./layout.ts";
import { blocks, notice } from "./markdown.ts";
import { messageSection, messageTable, type SectionInput } from "./message-section.ts";
import { revisionFile, revisionPage } from "./revision-page.ts";
import { typeSection } from "./type-section.ts";

/**
 * Writes the reference of the protocol: pages about messages, types and revisions. Returns their Markdown by the names of their files.
 *
 * @throws {SpecError} when a difference between revisions has no rule for its conversion.
 */
export function emitReference(
  models: readonly RevisionModel[],
  extensions: readonly ExtensionModel[],
): ReadonlyMap<string, string> {
  const all = [...models].sort((a, b) => (a.id < b.id ? -1 : 1));
  const layout = layOut({ all, groupOf, envelopeFile });
  const input: Omit<SectionInput, "linkOf"> = {
    layout,
    changes: readChanges(all),
    conversions: all.map((model) => readConversions(all, model)),
    headersOf: ({ id }) => all.find((model) => model.id === id)?.rules.headers ?? [],
  };
  const pages: readonly (readonly [string, string])[] = [
    [indexFile, indexPage({ models: all, layout, extensions })],
    ...layout.pages.map((page) => [page.file, messagePage(page, input)] as const),
    [sharedFile, typePage({ ...sharedPage, types: layout.shared }, input)],
    [envelopeFile, typePage({ ...envelopePage, types: layout.envelope }, input)],
    ...all.map((model) => {
      const file = revisionFile(model);
      const changes = input.changes.find(({ newer }) => newer === model);
      const links = { linkOf: layout.linksFrom(file), linkOfMethod: layout.linksToMethods(file) };
      return [file, revisionPage({ model, models: all, changes, ...links })] as const;
    }),
    ...extensions.map((extension) => [extensionFile(extension), extensionPage(extension, layout)] as const),
  ];
  return new Map(pages.map(([file, text]) => [file, `${text}\n`]));
}

/** Writes the page about the messages of a feature. */
function messagePage(page: MessagePage, shared: Omit<SectionInput, "linkOf">): string {
  const input = { ...shared, linkOf: shared.layout.linksFrom(page.file) };
  return blocks([
    `# ${page.title}`,
    notice,
    messageTable(page.messages, input),
    ...page.messages.map((name) => messageSection(name, input)),
    ...(page.types.length > 0 ? ["## Types"] : []),
    ...page.types.map((name) => typeSection(name, input)),
  ]);
}

interface TypePage {
  readonly file: string;
  readonly title: string;
  readonly summary: string;
  readonly types: readonly string[];
}

const sharedPage: Omit<TypePage, "types"> = {
  file: sharedFile,
  title: "Shared types",
  summary: "Types that messages of several pages use.",
};

const envelopePage: Omit<TypePage, "types"> = {
  file: envelopeFile,
  title: "JSON-RPC",
  summary:
    "Envelopes of messages, errors, base types, and unions of all messages. Every message has `jsonrpc`; requests and responses have an `id`.",
};

function typePage({ file, title, summary, types }: TypePage, shared: Omit<SectionInput, "linkOf">): string {
  const input = { ...shared, linkOf: shared.layout.linksFrom(file) };
  return blocks([`# ${title}`, notice, summary, "## Types", ...types.map((name) => typeSection(name, input))]);
}
