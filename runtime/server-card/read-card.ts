import { isObject } from "../../generated/support.ts";
import { scan, toByteRange } from "../framing/json-scan.ts";
import { cardSchema, cardType, type ServerCard } from "./card.ts";
import type { CatalogEntry } from "./catalog.ts";
import { both, flag, httpUrl, listOf, objectOf, oneOf, prose, root, tableOf, text, type Check } from "./checks.ts";
import { ServerCardError } from "./errors.ts";

/** Maximum length of a card or a catalog in bytes. */
export const maxDocumentBytes: number = 256 * 1024;

/**
 * Parses a Server Card. It follows the published schema, and is safe to display: texts are short and without markup or control characters, and URLs
 * are HTTP URLs without credentials.
 *
 * @throws {ServerCardError} when the text is too long, no JSON, or no such card
 * @example
 * ```ts
 * import { parseServerCard } from "mcp-server-runtime/server-card";
 *
 * const card = parseServerCard(await (await fetch("https://mcp.example.com/mcp/server-card")).text());
 * console.log(card.name, card.remotes?.[0]?.url);
 * ```
 */
export function parseServerCard(source: string): ServerCard {
  return toServerCard(parseDocument(source, "server card"));
}

/**
 * Returns a value as a card.
 *
 * @throws {ServerCardError} when it is no valid card
 */
export function toServerCard(value: unknown): ServerCard {
  if (isServerCard(value)) return value;
  throw new ServerCardError("invalid", `The server card is invalid: ${findCardProblem(value)}`);
}

/** Returns the first problem of a card; `undefined` for a valid one. */
export function findCardProblem(value: unknown): string | undefined {
  return card(value, root);
}

/** True for a valid card. */
export function isServerCard(value: unknown): value is ServerCard {
  return findCardProblem(value) === undefined;
}

/**
 * Returns the Server Cards among the entries of a catalog. Others are left out; nested catalogs are not followed.
 *
 * @throws {ServerCardError} when the text is too long, no JSON, or no catalog
 * @example
 * ```ts
 * import { parseCatalog } from "mcp-server-runtime/server-card";
 *
 * const text = await (await fetch("https://example.com/.well-known/ai-catalog.json")).text();
 * for (const { identifier } of parseCatalog(text)) console.log(identifier);
 * ```
 */
export function parseCatalog(source: string): readonly CatalogEntry[] {
  const value = parseDocument(source, "catalog");
  const problem = catalog(value, root);
  if (problem !== undefined) throw new ServerCardError("invalid", `The catalog is invalid: ${problem}`);
  const entries: readonly unknown[] = isObject(value) && Array.isArray(value.entries) ? value.entries : [];
  return entries.filter(isCardEntry).map(checkEntry);
}

function isCardEntry(value: unknown): value is CatalogEntry {
  return isObject(value) && value.type === cardType;
}

function checkEntry(entry: CatalogEntry, index: number): CatalogEntry {
  const hasOne = Object.hasOwn(entry, "url") !== Object.hasOwn(entry, "data");
  const problem = hasOne
    ? cardEntry(entry, `card ${index + 1}`)
    : `card ${index + 1} has not exactly one of url and data`;
  if (problem === undefined) return entry;
  throw new ServerCardError("invalid", `The catalog is invalid: ${problem}`);
}

/** Parses JSON within limits no real card or catalog reaches. */
function parseDocument(source: string, what: string): unknown {
  if (source.length > maxDocumentBytes)
    throw new ServerCardError("invalid", `The ${what} is longer than ${maxDocumentBytes} bytes`);
  const found = scan(toByteRange(source), { maxDepth: 16, maxValues: 20_000 });
  if (found) throw new ServerCardError("invalid", `The ${what} is nested too deeply or has too many values`);
  try {
    return JSON.parse(source);
  } catch {
    throw new ServerCardError("invalid", `The ${what} is not JSON`);
  }
}

const input = {
  description: text(),
  isRequired: flag,
  isSecret: flag,
  format: oneOf("string", "number", "boolean", "filepath"),
  default: text(),
  placeholder: text(),
  value: text(),
  choices: listOf(text(), 100),
} as const;

const variables = tableOf(objectOf({}, input), 64);

const headerName = text({ max: 128, pattern: /^[\w!#$%&'*+.^`|~-]+$/, form: "the name of a header" });

/** Checks the URL of an endpoint. It may be a template, so only one without variables can be parsed. */
const remoteUrl = both(
  text({ pattern: /^(https?:\/\/\S+|\{[a-z_]\w*\}\S*)$/i, form: "an HTTP URL or a template of one" }),
  (value, place) =>
    typeof value === "string" && !value.includes("{") ? httpUrl(value, place) : credentials(value, place),
);

const credentials: Check = (value, place) =>
  typeof value === "string" && /^https?:\/\/[^/?#]*@/i.test(value) ? `${place} contains credentials` : undefined;

const remote = objectOf(
  { type: oneOf("streamable-http", "sse"), url: remoteUrl },
  {
    headers: listOf(objectOf({ name: headerName }, { ...input, variables }), 64),
    variables,
    supportedProtocolVersions: listOf(text({ max: 64 }), 64),
  },
);

const icon = objectOf(
  {
    src: both(text({ max: 64 * 1024 }), (value, place) =>
      typeof value === "string" && /^data:image\/[\w.+-]+;base64,[\w+/=]*$/.test(value)
        ? undefined
        : httpUrl(value, place),
    ),
  },
  { mimeType: text({ max: 128 }), sizes: listOf(text({ max: 32 }), 32), theme: oneOf("light", "dark") },
);

const version = both(text({ max: 255 }), (value, place) =>
  typeof value === "string" && /^[\^~<>=]|[<>|]|(^|\.)[x*](\.|$)/i.test(value.trim())
    ? `${place} is a range`
    : undefined,
);

const card = objectOf(
  {
    $schema: oneOf(cardSchema),
    name: text({
      min: 3,
      max: 200,
      pattern: /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
      form: "a name in reverse-DNS form with one slash, such as com.example/weather",
    }),
    version,
    description: prose({ min: 1, max: 100 }),
  },
  {
    title: prose({ min: 1, max: 100 }),
    websiteUrl: httpUrl,
    repository: objectOf(
      { url: httpUrl, source: text({ max: 100 }) },
      {
        subfolder: text({ pattern: /^(?!\/)(?!.*(^|\/)\.\.(\/|$))/, form: "a relative path" }),
        id: text({ max: 255 }),
      },
    ),
    icons: listOf(icon, 32),
    remotes: listOf(remote, 32),
    _meta: objectOf({}, {}),
  },
);

const catalog = objectOf(
  {
    specVersion: text({ max: 16, pattern: /^[01]\.\d{1,4}$/, form: "a known version" }),
    // Entries of other kinds are not checked.
    entries: listOf(() => undefined, 1_000),
  },
  {},
);

const cardEntry = objectOf(
  { identifier: text({ min: 1, max: 512 }), type: oneOf(cardType) },
  { url: httpUrl, data: card, displayName: prose({ max: 200 }) },
);
