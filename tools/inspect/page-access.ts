import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Reason why a request is rejected. */
export interface Rejection {
  readonly status: 400 | 403 | 404 | 405 | 413 | 415;
  readonly text: string;
}

/** Port and secret path at which a browser reaches the page. */
export interface PageAddress {
  readonly port: number;
  readonly token: string;
}

/**
 * Checks a request before anything is read of it. `Host` must name this machine: no other name may lead here (DNS rebinding). `Origin` must be the
 * page: no other page can send commands. The path begins with the token, which other users and pages do not know.
 */
export function checkRequest(request: IncomingMessage, { port, token }: PageAddress): Rejection | undefined {
  const { host, origin } = request.headers;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host.toLowerCase()))
    return { status: 403, text: `The Host header must be ${hosts[0]}; open the printed address.` };
  // A sandboxed frame has the origin `null`. It gets its document and nothing else.
  const isOwn = origin === undefined || origin === `http://${host}`;
  if (!isOwn || (request.method === "POST" && origin === undefined))
    return { status: 403, text: "Requests of other pages are rejected; open the printed address." };
  if (isViewPath(request.url) || readEntrance(request.url) !== undefined) return undefined;
  if (!hasToken(request.url ?? "", token))
    return { status: 403, text: "The token in the address is missing or wrong; open the printed address." };
  return undefined;
}

/** True for the path of a document for a frame. It has an id of its own instead of the token, which the frame must not learn. */
export function isViewPath(url: string | undefined): boolean {
  return url?.startsWith("/view/") ?? false;
}

/** Returns the code of a path to the page that works once. Programs for opening a browser get it, because other users see their arguments. */
export function readEntrance(url: string | undefined): string | undefined {
  return /^\/open\/([\w-]+)$/.exec(url ?? "")?.[1];
}

function hasToken(url: string, token: string): boolean {
  const given = Buffer.from(/^\/([^/?#]*)\//.exec(url)?.[1] ?? "");
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
