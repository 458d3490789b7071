import { SetupError } from "../../jsonrpc/errors.ts";
import type { HttpResponse } from "../../transport/http-server/exchange/exchange.ts";
import { resourceMetadataPath } from "../common/well-known.ts";
import { parseUrl } from "../../internal/parse-url.ts";

/** Members of the metadata document in addition to those from other options. @see https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export interface ResourceDescription {
  /** Name of the resource, for users who are asked for consent. */
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
  /** Scopes for clients to request initially. Default: the scopes needed by every request. Clients learn about others when they need them. */
  readonly scopes_supported?: readonly string[];
  readonly [member: string]: unknown;
}

/** Returns the URL of the metadata of a resource: the well-known path, followed by the path of the resource. */
export function toMetadataUrl(resource: string): URL {
  const { origin, pathname } = new URL(resource);
  return new URL(resourceMetadataPath + (pathname === "/" ? "" : pathname), origin);
}

/** Returns the document by the paths at which clients look for it: first the path of the resource, then the root. */
export function createDocuments(resource: string, document: object): ReadonlyMap<string, HttpResponse> {
  const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };
  const response: HttpResponse = { status: 200, headers, body: JSON.stringify(document) };
  return new Map([
    [toMetadataUrl(resource).pathname, response],
    [resourceMetadataPath, response],
  ]);
}

/**
 * Checks the URL of a resource. It must be `https`, or `http` on this machine, without query and fragment.
 *
 * @throws {SetupError} when no token could name the resource.
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 */
export function checkUrl(option: string, value: string): void {
  const url = parseUrl(value);
  if (url && isSecure(url) && !/[\s#?]/.test(value) && url.username === "" && url.password === "") return;
  throw new SetupError(
    `${option} is ${JSON.stringify(url ? toPublicPart(url) : value)}; use an https URL without query and fragment (http only on loopback)`,
  );
}

/** True for `https`, and for `http` on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}

/** Removes the user information and the query of a URL, which may be secret. */
function toPublicPart({ protocol, host, pathname }: URL): string {
  return host === "" ? protocol : `${protocol}//${host}${pathname}`;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
