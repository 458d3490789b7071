import { lookup } from "node:dns/promises";
import { isObject } from "../../generated/support.ts";
import { isAuthError } from "../../runtime/auth/client/errors.ts";
import { createUrlRules } from "../../runtime/auth/client/network/url-rules.ts";
import { cardSuffix, type CardInput, type CardRemote, type ServerCard } from "../../runtime/server-card/card.ts";
import { catalogPath } from "../../runtime/server-card/catalog.ts";
import { createServerCardReader } from "../../runtime/server-card/client/card-reader.ts";
import { toServerCard } from "../../runtime/server-card/read-card.ts";
import { safeText } from "../../generator/internal/text.ts";
import { readTextFile } from "../../generator/internal/files.ts";
import { explainCause, UserError } from "../../generator/internal/user-error.ts";
import type { Connection } from "./access.ts";
import { describeTarget, type Target } from "./target.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** A Server Card, and its URL; none for a file. */
export interface FoundCard {
  readonly card: ServerCard;
  readonly url?: URL;
}

/**
 * Reads the Server Card behind a target: the URL of a card or of a catalog with one card, or a file. Returns `undefined` for other targets.
 *
 * @throws {UserError} when the card cannot be read, or is invalid
 */
export async function findCard(target: Target): Promise<FoundCard | undefined> {
  try {
    if (target.kind === "file") return await readCardFile(target.path);
    if (target.kind !== "url") return undefined;
    const { url } = target;
    if (url.pathname === catalogPath) return await readCatalogCard(url);
    return url.pathname.replace(/\/$/, "").endsWith(cardSuffix)
      ? { card: await createServerCardReader().readCard(url), url }
      : undefined;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${describeTarget(target)}: ${safeText(explainCause(error))}`, { cause: error });
  }
}

/**
 * Returns the server behind a target: with a Server Card the endpoint in it, otherwise the target itself. Credentials are sent only to the origin of
 * the card, because a card is no proof of anything.
 *
 * @throws {UserError} when the card is invalid, or its endpoint needs further values
 */
export async function resolveCard(target: Target, { headers }: Pick<Connection, "headers">): Promise<Target> {
  const found = await findCard(target);
  if (!found) return target;
  const place = describeTarget(target);
  const remote = chooseRemote(found.card, place);
  const url = new URL(fillIn(remote, place));
  await checkDestination(url, found.url, { place, headers });
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const missing = remote.headers?.find(({ name, isRequired }) => isRequired && !names.includes(name.toLowerCase()));
  if (missing)
    throw new UserError(
      `${place}: the server requires the header ${missing.name}; pass --header-env ${missing.name}=VARIABLE.`,
    );
  return { kind: "url", url };
}

async function readCatalogCard(url: URL): Promise<FoundCard> {
  const reader = createServerCardReader();
  const entries = await reader.readCatalog(url);
  const [entry] = entries;
  if (entry && entries.length === 1)
    return { card: await reader.readCard(entry), url: "url" in entry ? new URL(entry.url) : url };
  const names = entries.map((one) => ("url" in one ? one.url : one.identifier)).slice(0, 20);
  const list = names.length === 0 ? "" : `: ${names.map((name) => safeText(name)).join(", ")}`;
  throw new UserError(`the catalog of ${url.host} has ${entries.length} server cards; pass the URL of one${list}`);
}

async function readCardFile(path: string): Promise<FoundCard | undefined> {
  const value: unknown = await readTextFile(path)
    .then(JSON.parse)
    .catch(() => undefined);
  // Other files are lists of tools; their reader reports what is wrong with them.
  const isCard = isObject(value) && typeof value.$schema === "string" && value.$schema.includes("server-card");
  return isCard ? { card: toServerCard(value) } : undefined;
}

function chooseRemote({ name, remotes = [] }: ServerCard, place: string): CardRemote {
  const remote = remotes.find(({ type }) => type === "streamable-http") ?? remotes[0];
  if (remote) return remote;
  throw new UserError(`${place}: the card of ${name} has no endpoint; pass the address of the server.`);
}

/** Fills the variables of a URL with the values and defaults of the card. */
function fillIn({ url, variables = {} }: CardRemote, place: string): string {
  const filled = url.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const input: CardInput | undefined = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = input?.value ?? input?.default;
    if (value !== undefined) return encodeURIComponent(value);
    throw new UserError(`${place}: the endpoint ${url} needs a value for {${name}}; pass the address of the server.`);
  });
  if (isUrl(filled)) return filled;
  throw new UserError(`${place}: the endpoint ${safeText(filled)} is not a URL; pass the address of the server.`);
}

/** Rejects an endpoint in another network than the card, and credentials for another origin. */
async function checkDestination(
  url: URL,
  card: URL | undefined,
  { place, headers }: { readonly place: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  if (!card) return;
  const rules = createUrlRules(card);
  try {
    rules.check(url, "endpoint of the server card");
    for (const address of await findAddresses(url)) rules.checkAddress(address, url.hostname);
  } catch (error) {
    if (isAuthError(error)) throw new UserError(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
  if (url.origin === card.origin || Object.keys(headers).length === 0) return;
  throw new UserError(
    `${place}: the card names ${url.origin}, and headers are sent only to the address that you pass; pass ${url.origin}${url.pathname}`,
  );
}

/** Returns the addresses of a host. The failure to find one is reported by the connection. */
async function findAddresses({ hostname }: URL): Promise<readonly string[]> {
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
