import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { decodePart } from "../../engine/decode-part.ts";
import { isUrl } from "../../../runtime/internal/parse-url.ts";

/** Servers of NATS as host and port, and what their URLs contain besides. */
export interface NatsAddress {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** True if one of the URLs requires TLS. */
  readonly isEncrypted: boolean;
}

/**
 * Parses URLs of servers; one text may have several with commas. The credentials of the first URL with any are used for all.
 *
 * @throws {SetupError} when a URL is invalid. The message contains no part of it, because it may contain a password.
 */
export function parseAddress(servers: string | readonly string[]): NatsAddress {
  const texts = (typeof servers === "string" ? [servers] : servers).flatMap((text) => text.split(","));
  const urls = texts.map((text) => parseUrl(text.trim()));
  const { username = "", password = "" } = urls.find((url) => url.username !== "") ?? {};
  const [name, secret] = [decodePart(username), decodePart(password)];
  if (name === undefined || secret === undefined) throw new SetupError(unencoded);
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === "" ? defaultPort : port}`),
    ...(name !== "" && secret === "" && { token: name }),
    ...(name !== "" && secret !== "" && { user: name, pass: secret }),
    isEncrypted: urls.some(({ protocol }) => protocol === "tls:"),
  };
}

/** Parses a URL, or an address without a scheme. */
function parseUrl(text: string): URL {
  const url = /^\w+:\/\//.test(text) ? text : `nats://${text}`;
  if (!isUrl(url)) throw new SetupError(invalid);
  const parsed = new URL(url);
  const isPlain = /^\/?$/.test(parsed.pathname) && parsed.search === "" && parsed.hash === "";
  if (!/^(nats|tls):$/.test(parsed.protocol) || parsed.hostname === "" || !isPlain) throw new SetupError(invalid);
  return parsed;
}

const defaultPort = 4222;

const invalid = "A URL of NATS is invalid; use nats://user:password@host:port or tls://…";
const unencoded = "The credentials in a URL of NATS are invalid; write % as %25, # as %23 and ? as %3F";
