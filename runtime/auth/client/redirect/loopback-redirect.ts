import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createNetServer, type Server as NetServer } from "node:net";
import { isObject } from "../../../../generated/support.ts";
import { systemClock } from "../../../internal/timers.ts";
import { openBrowser, type OpenUrl } from "./browser.ts";
import { AuthError, isAuthError } from "../errors.ts";
import { errorCodeOf } from "../tokens/retry-while-locked.ts";
import type { Redirection, Redirector } from "./redirect.ts";
import { checkNumbers } from "../../../jsonrpc/check-numbers.ts";
import { isUrl } from "../../../internal/parse-url.ts";

/** Options of `createLoopbackRedirect`. */
export interface LoopbackOptions {
  /** Opens the sign-in URL for the user. Default: opens the browser. */
  readonly open?: OpenUrl;
  /**
   * Called with the sign-in URL before `open`. The program can show it if no browser can be opened: with this option, it is no error if none opens.
   */
  readonly onUrl?: (url: URL) => void;
  /**
   * Host name of the redirect URI, which some authorization servers compare exactly. With `localhost`, the listener uses both addresses of this name.
   * Default `127.0.0.1`.
   */
  readonly host?: "127.0.0.1" | "localhost";
  /**
   * Port of the redirect URI, for clients registered with it. While another program uses it, sign-ins fail. Default: the port of the client's own
   * registration, if it is free, else any.
   */
  readonly port?: number;
  /** Path of the redirect URI. Default `/callback`. */
  readonly path?: string;
  /** Milliseconds for the user to sign in. Default 5 min. */
  readonly timeout?: number;
  /** HTML document for the user to see after the sign-in. */
  readonly page?: string;
}

/**
 * Creates a redirector on this machine only. It listens until one authorization response has arrived. Responses to other sign-ins are rejected and
 * change nothing. The listener does not keep the process alive: the provider does while a request waits for the sign-in.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 * @example
 * ```ts
 * import { authorizationCode, createLoopbackRedirect } from "mcp-server-runtime/auth/client";
 *
 * const redirect = createLoopbackRedirect({ onUrl: (url) => console.error(`Sign in: ${url}`) });
 * const grant = authorizationCode({ redirect, client: { name: "my-client" } });
 * ```
 */
export function createLoopbackRedirect(options: LoopbackOptions = {}): Redirector {
  checkNumbers(options);
  const { path = "/callback", host = "127.0.0.1", port } = options;
  return {
    async open({ preferred }) {
      const listener =
        port === undefined ? await listenAnywhere(host, findPort(preferred, { host, path })) : await listen(host, port);
      return createRedirection(listener, `http://${host}:${listener.port}${path}`, options);
    },
  };
}

function createRedirection({ server, close }: Listener, redirectUri: string, options: LoopbackOptions): Redirection {
  return {
    redirectUri,
    visit(url, { state }) {
      const callback = receive(server, { redirectUri, state, options });
      // Some browsers are open until the user closes them.
      return Promise.race([callback, show(url, options).then(() => callback)]);
    },
    close,
  };
}

interface Expected {
  readonly redirectUri: string;
  readonly state: string;
  readonly options: LoopbackOptions;
}

function receive(server: Server, expected: Expected): Promise<string> {
  const { timeout = 300_000 } = expected.options;
  return new Promise((resolve, reject) => {
    const expire = (): void =>
      reject(
        new AuthError("authorization-incomplete", `The authorization response was not received within ${timeout} ms`),
      );
    const cancel = systemClock.after(timeout, expire);
    server.on("close", () => {
      cancel();
      reject(new AuthError("authorization-incomplete", "The sign-in was aborted"));
    });
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const callback = readCallback(request, expected);
      respond(response, callback, expected.options);
      if (callback !== undefined) response.once("close", () => resolve(callback));
    });
  });
}

/** Web pages can send requests to this machine as well. Only the request with the right state is the authorization response. */
function readCallback(
  { method, url = "", headers }: IncomingMessage,
  { redirectUri, state }: Expected,
): string | undefined {
  const own = new URL(redirectUri);
  if (method !== "GET" || headers.host !== own.host || !isUrl(url, own.origin)) return undefined;
  const target = new URL(url, own.origin);
  const isOurs = target.origin === own.origin && target.pathname === own.pathname;
  return isOurs && target.searchParams.get("state") === state ? target.href : undefined;
}

function respond(
  response: ServerResponse,
  callback: string | undefined,
  { page = defaultPage }: LoopbackOptions,
): void {
  // Neither the code in the URL nor the page may be cached or passed on.
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    Connection: "close",
  };
  if (callback === undefined) response.writeHead(404, headers).end("Not found");
  else response.writeHead(200, headers).end(page);
}

const defaultPage =
  "<!doctype html><meta charset=utf-8><title>Signed in</title><p>You can close this window and return to the application.";

async function show(url: URL, { open = openBrowser, onUrl }: LoopbackOptions): Promise<void> {
  onUrl?.(url);
  try {
    await open(url);
  } catch (error) {
    if (!onUrl || (isAuthError(error) && error.code === "unsafe-url")) throw error;
  }
}

/** Returns the port in the client's registration, which saves another registration. */
function findPort(
  preferred: string | undefined,
  { host, path }: { readonly host: string; readonly path: string },
): number {
  if (preferred === undefined || !isUrl(preferred)) return 0;
  const { hostname, pathname, port } = new URL(preferred);
  return hostname === host && pathname === path ? Number(port) : 0;
}

/** Server that listens on each address of a host name. */
interface Listener {
  readonly server: Server;
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on a port, or on another one if this is not possible. */
async function listenAnywhere(host: string, preferred: number): Promise<Listener> {
  let failure: unknown;
  // A port that is free at one address of a host name may be in use at the other.
  for (const port of [preferred, 0, 0, 0]) {
    try {
      return await listen(host, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** A browser may use either address of `localhost`, so no other program may have the port at one of them. */
async function listen(host: string, port: number): Promise<Listener> {
  const server = createServer();
  const second = createNetServer({ allowHalfOpen: true }, (socket) => void server.emit("connection", socket));
  const close = async (): Promise<void> => {
    const closed = [server, second].map((one) => new Promise((resolve) => one.close(resolve)));
    server.closeAllConnections();
    await Promise.all(closed);
  };
  try {
    const found = await bind(server, port, "127.0.0.1");
    if (host === "localhost") await bind(second, found, "::1").catch(skipMissing);
    return { server, port: found, close };
  } catch (error) {
    await close();
    throw describeBusy(error, port);
  }
}

/** Returns the port on which a server listens. */
function bind(server: NetServer, port: number, address: string): Promise<number> {
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      const bound: unknown = server.address();
      resolve(isObject(bound) ? Number(bound.port) : port);
    });
  });
}

/** Some machines have no IPv6. */
function skipMissing(error: unknown): void {
  if (!["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(errorCodeOf(error))) throw error;
}

function describeBusy(error: unknown, port: number): AuthError {
  const code = errorCodeOf(error);
  const message =
    code === "EADDRINUSE"
      ? `Port ${port} of the redirect is in use; end the program that uses it, or change the option port`
      : `The redirect listener could not use port ${port} (${code})`;
  return new AuthError("authorization-incomplete", message);
}
