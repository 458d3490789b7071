import { cardSuffix, cardType } from "../../runtime/server-card/card.ts";
import { catalogPath, catalogType } from "../../runtime/server-card/catalog.ts";
import { findCardDifferences } from "../../runtime/server-card/differences.ts";
import { isServerCardError } from "../../runtime/server-card/errors.ts";
import { maxDocumentBytes, parseCatalog, parseServerCard } from "../../runtime/server-card/read-card.ts";
import { readText, readMediaType } from "../../runtime/transport/http-client/body.ts";
import type { ImplementationInfo } from "../../runtime/protocol/session/session.ts";
import { safeText } from "../../generator/internal/text.ts";
import type { CheckResult, Rule } from "./finding.ts";
import { toResult, type Observation } from "./probes/probe.ts";
import { fetchRaw } from "./wires/raw-fetch.ts";
import type { PublicAddress } from "./wires/wire.ts";

/** Server as the examination has found it. */
export interface ExaminedServer {
  readonly info: ImplementationInfo;
  /** Supported revisions. */
  readonly revisions: readonly string[];
}

const help = "https://modelcontextprotocol.io/seps/2127-mcp-server-cards";

const rules = {
  valid: { id: "server-card", title: "The server card is valid", severity: "error", help },
  same: { id: "server-card-agrees", title: "The server card agrees with the server", severity: "warning", help },
  headers: {
    id: "server-card-headers",
    title: "The server card can be read by pages, and revalidated",
    severity: "warning",
    help,
  },
  catalog: {
    id: "server-catalog",
    title: "The catalog of the domain is valid, and lists the server card",
    severity: "warning",
    help,
  },
} as const satisfies Readonly<Record<string, Rule>>;

/**
 * Checks the Server Card of a server, and the catalog of its domain. Both are optional: without them there is nothing to check. They are public, so
 * no credentials are sent.
 */
export async function checkServerCard(place: PublicAddress, server: ExaminedServer): Promise<readonly CheckResult[]> {
  const url = new URL(place.url);
  url.pathname = url.pathname.replace(/\/+$/, "") + cardSuffix;
  const document = await readDocument(url, { ...place, type: cardType });
  const results = document ? [...examineCard(document, place.url, server), await checkHeaders(document, place)] : [];
  return [...results, ...(await checkCatalog(place, document && url))];
}

interface Document {
  readonly url: URL;
  readonly text: string;
  readonly response: Response;
}

/** Reads a document of JSON. Returns `undefined` if the server has none there. */
async function readDocument(
  url: URL,
  { timeout, type }: { readonly timeout: number; readonly type: string },
): Promise<Document | undefined> {
  const request = { method: "GET", headers: { accept: type } } as const;
  const response = await fetchRaw({ url, headers: {}, timeout }, request);
  // Servers without the document may send a page, or an error of their endpoint.
  if (response?.status !== 200 || !/\bjson\b/.test(readMediaType(response))) {
    await response?.body?.cancel();
    return undefined;
  }
  return { url, response, text: await readText(response, maxDocumentBytes + 1).catch(() => "") };
}

function examineCard({ text }: Document, url: URL, { info, revisions }: ExaminedServer): CheckResult[] {
  try {
    const differences = findCardDifferences(parseServerCard(text), { info, revisions, url });
    const found = differences.map(({ member, card, server }): Observation => ({
      subject: `server card, ${member}`,
      message: `the card has ${quote(card)}, the server ${quote(server)}`,
      fix: "create the card from the definition of the server",
    }));
    return [toResult(rules.valid), toResult(rules.same, found)];
  } catch (error) {
    if (!isServerCardError(error)) throw error;
    const seen = { subject: "server card", message: safeText(error.message), fix: "correct the card, or remove it" };
    return [toResult(rules.valid, [seen])];
  }
}

async function checkHeaders({ url, response }: Document, { timeout }: PublicAddress): Promise<CheckResult> {
  const { headers } = response;
  const seen: Observation[] = [];
  const type = readMediaType(response);
  if (type !== cardType) seen.push(observe(`its media type is ${quote(type)}`, `use ${cardType}`));
  if (headers.get("access-control-allow-origin") !== "*")
    seen.push({
      ...observe("pages of other origins cannot read it", "send Access-Control-Allow-Origin: *"),
      severity: "error",
    });
  if (!/max-age=\d/.test(headers.get("cache-control") ?? ""))
    seen.push(observe("it has no Cache-Control with max-age", "send Cache-Control: public, max-age=3600"));
  const tag = headers.get("etag");
  if (tag === null) seen.push(observe("it has no ETag", "send an ETag, so that clients can revalidate their copy"));
  else if (!(await isRevalidated(url, { tag, timeout })))
    seen.push(observe("If-None-Match with its ETag does not return 304", "return 304 without a body"));
  return toResult(rules.headers, seen);
}

async function isRevalidated(
  url: URL,
  { tag, timeout }: { readonly tag: string; readonly timeout: number },
): Promise<boolean> {
  const request = { method: "GET", headers: { accept: cardType, "if-none-match": tag } } as const;
  const response = await fetchRaw({ url, headers: {}, timeout }, request);
  await response?.body?.cancel();
  return response?.status === 304;
}

async function checkCatalog(place: PublicAddress, card: URL | undefined): Promise<CheckResult[]> {
  const document = await readDocument(new URL(catalogPath, place.url), { ...place, type: catalogType });
  if (!document) return [];
  const subject = catalogPath;
  try {
    const entries = parseCatalog(document.text);
    // Behind a proxy the catalog names the public address, so only the path can be compared.
    const isListed = entries.some((entry) => !("url" in entry) || new URL(entry.url).pathname === card?.pathname);
    if (isListed || !card) return [toResult(rules.catalog)];
    const message = `it does not list ${card.pathname}`;
    const fix = "add an entry for the card";
    return [toResult(rules.catalog, [{ subject, message, fix, severity: "note" }])];
  } catch (error) {
    if (!isServerCardError(error)) throw error;
    return [toResult(rules.catalog, [{ subject, message: safeText(error.message), fix: "correct the catalog" }])];
  }
}

function observe(message: string, fix: string): Observation {
  return { subject: "server card", message, fix };
}

function quote(text: string): string {
  return safeText(JSON.stringify(text.slice(0, 200)));
}
