import type { ExtensionModel } from "../../generator/model.ts";
import { layOut, type Layout, type LayoutInput } from "./layout.ts";
import { blocks, code, notice, table } from "./markdown.ts";
import { messageSection, messageTable, type SectionInput } from "./message-section.ts";
import { typeLink } from "./type-links.ts";
import { typeSection } from "./type-section.ts";

/** Returns the file of the page about an extension. */
export function extensionFile({ name }: ExtensionModel): string {
  return `extension-${name}.md`;
}

/** Writes the page about an extension of this package. `core` is the layout of the revisions. */
export function extensionPage(extension: ExtensionModel, core: Layout): string {
  const entry = `the entry ${code(`mcp-server-runtime/extensions/${extension.name}`)}`;
  return pageText(extension, core, { notice, entry });
}

/** Writes the page about an extension of a user. Types of the core have no pages there, so nothing links to them. */
export function ownExtensionPage(extension: ExtensionModel): string {
  const { id, declarations, methods } = extension.core;
  const core = { all: [{ id, declarations, methods }], linksFrom: () => () => undefined };
  const entry = `in ${code(`extensions/${extension.name}/`)} of the generated files`;
  return pageText(extension, core, { notice: ownNotice, entry });
}

const ownNotice = "<!-- Written by `create-mcp-server pin`. Do not edit. -->";

/** Writes the rules, the messages and the types of an extension. */
function pageText(
  extension: ExtensionModel,
  core: NonNullable<LayoutInput["base"]>,
  { notice: first, entry }: { readonly notice: string; readonly entry: string },
): string {
  const { name, rules, scope, methods } = extension;
  const file = extensionFile(extension);
  const title = `Extension: ${name}`;
  const version = { id: "", declarations: scope, methods };
  const layout = layOut({ all: [version], groupOf: () => ({ file, title }), envelopeFile: file, base: core });
  const input: SectionInput = {
    layout,
    linkOf: layout.linksFrom(file),
    changes: [],
    conversions: [],
    headersOf: () => rules.headers,
  };
  const messages = layout.pages.flatMap((page) => page.messages);
  const types = [...layout.pages.flatMap((page) => page.types), ...layout.envelope];
  return blocks([
    `# ${title}`,
    first,
    `The extension ${code(rules.id)}. Its types, checks and tables are ${entry}.`,
    ruleList(extension, input),
    resultTable(extension, input),
    messageTable(messages, input),
    ...messages.map((each) => messageSection(each, input)),
    ...(types.length > 0 ? ["## Types"] : []),
    ...types.map((each) => typeSection(each, input)),
  ]);
}

function ruleList({ rules }: ExtensionModel, { linkOf }: SectionInput): string {
  const { client, server } = rules.declared;
  const isBoth = rules.lifecycles.length > 1;
  const sides = [
    ...(client === undefined ? [] : [`the client with ${typeLink(client, linkOf)}`]),
    `the server with ${typeLink(server, linkOf)}`,
  ];
  const lines = [
    `Declared by ${sides.join(", and by ")}.`,
    isBoth
      ? "Used with and without a handshake."
      : `Used at revisions with the lifecycle ${code(rules.lifecycles.join())}.`,
    ...rules.provides.map((member) => `It provides ${code(member)} where the revision does not have it.`),
    ...rules.members.map(
      ({ method, at, type }) =>
        `It adds ${typeLink(type, linkOf)} to ${code(["params", ...at].join("."))} of ${code(method)}.`,
    ),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

function resultTable({ rules }: ExtensionModel, { linkOf }: SectionInput): string {
  const rows = rules.results.map(({ method, kind, type }) => [code(method), code(kind), typeLink(type, linkOf)]);
  return table(["message of the core", "`resultType`", "additional result"], rows);
}
