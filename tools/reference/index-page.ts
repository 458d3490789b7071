import type { ExtensionModel, RevisionModel } from "../../generator/model.ts";
import { extensionFile } from "./extension-page.ts";
import { envelopeFile, sharedFile, type Layout } from "./layout.ts";
import { blocks, code, notice, table } from "./markdown.ts";
import { kindText, methodsNamed, senderText } from "./message-section.ts";
import { revisionFile } from "./revision-page.ts";

/** Content for the index. */
export interface IndexInput {
  /** All revisions, oldest first. */
  readonly models: readonly RevisionModel[];
  readonly layout: Layout;
  readonly extensions: readonly ExtensionModel[];
}

/** Name of the file of the index. */
export const indexFile = "README.md";

/** Writes the index: all messages with their revisions, and all pages. */
export function indexPage({ models, layout, extensions }: IndexInput): string {
  const revisionLinks = models.map((model) => `[${model.id}](${revisionFile(model)})`);
  return blocks([
    "# Protocol reference",
    notice,
    "Every message of every revision of the Model Context Protocol: its sender, its fields, what has changed, and how it is converted for peers of other revisions. " +
      "The pages are written from `spec/`, as the code in `generated/` is.",
    "Conversion goes in one direction, from newer revisions to older ones. What an older peer sends is checked with the rules of its own revision.",
    "## Messages",
    "Each cell has the sender of the message at the revision. An *input request* is part of a result that requires input, and not a message of its own.",
    messageTable(models, layout, revisionLinks),
    "## Extensions",
    extensionTable(extensions),
    "## Types",
    `Types that only one page uses are on that page. [Shared types](${sharedFile}) are used by several, and [JSON-RPC](${envelopeFile}) has the envelopes of all messages.`,
    "## Names in code",
    `Each revision is an entry of the runtime, such as ${code(`mcp-server-runtime/${models.at(-1)?.id ?? ""}`)}. It exports the types under the names of these pages. Each message has a name in code, such as ${code("callTool")}: ` +
      "it is the method of `ClientCalls` or `ServerCalls` that sends the message, and the member of `ServerHandlers` or `ClientHandlers` that receives it. [Pin a revision](../pin-a-revision.md) shows how they are used.",
  ]);
}

function messageTable(models: readonly RevisionModel[], layout: Layout, revisionLinks: readonly string[]): string {
  const linkOf = layout.linksToMethods(indexFile);
  const rows = layout.pages.flatMap(({ messages, title, file }) =>
    messages.map((name) => {
      const found = methodsNamed(name, models);
      const newest = found.at(-1)?.value;
      const cells = models.map(({ id }) => {
        const method = found.find(({ version }) => version.id === id)?.value;
        if (!method) return "";
        return method.kind === newest?.kind ? senderText(method) : `${senderText(method)} (${kindText(method)})`;
      });
      return [`[${name}](${linkOf(name)})`, newest ? kindText(newest) : "", `[${title}](${file})`, ...cells];
    }),
  );
  return table(["message", "kind", "page", ...revisionLinks], rows);
}

function extensionTable(extensions: readonly ExtensionModel[]): string {
  return table(
    ["extension", "identifier", "messages"],
    extensions.map((extension) => [
      `[${extension.name}](${extensionFile(extension)})`,
      code(extension.rules.id),
      extension.methods.map(({ name }) => code(name)).join(", "),
    ]),
  );
}
