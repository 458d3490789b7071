import { SetupError } from "../../jsonrpc/errors.ts";
import type { Answer } from "../../transport/http-server/exchange/exchange.ts";

/** What the metadata document says beyond what follows from the other options. @see https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export interface ResourceDescription {
  /** For people who are asked for their consent. */
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
  /** Scopes that clients may ask for at first. Default: those that every request needs. Others are learned when they are needed. */
  readonly scopes_supported?: readonly string[];
  readonly [member: string]: unknown;
}

/** Where the metadata of a resource is: below the root, with the path of the resource after it. */
export function toMetadataUrl(resource: string): URL {
  const { origin, pathname } = new URL(resource);
  return new URL(wellKnown + (pathname === "/" ? "" : pathname), origin);
}

/** The document by the paths at which clients look for it: first the one of the resource, then the root. */
export function createDocuments(resource: string, document: object): ReadonlyMap<string, Answer> {
  const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };
  const answer: Answer = { status: 200, headers, body: JSON.stringify(document) };
  return new Map([
    [toMetadataUrl(resource).pathname, answer],
    [wellKnown, answer],
  ]);
}

/**
 * Throws for a resource that no token could name: it is a URL without fragment and query, and `https` but on this machine.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
export function checkUrl(option: string, value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback.test(url.hostname));
  if (url && isSafe && !/[\s#?]/.test(value) && url.username === "" && url.password === "") return;
  throw new SetupError(
    `${option} is ${JSON.stringify(url ? toPublicPart(url) : value)}: use an https URL without query and fragment (http only for this machine).`,
  );
}

/** Removes the user information and the query of a URL, which may be secret. */
function toPublicPart({ protocol, host, pathname }: URL): string {
  return host === "" ? protocol : `${protocol}//${host}${pathname}`;
}

const wellKnown = "/.well-known/oauth-protected-resource";

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
