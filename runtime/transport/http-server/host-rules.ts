import { deliverReport, type OnError } from "../../jsonrpc/error-report.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import { isUrl, parseUrl } from "../../internal/parse-url.ts";
import { shorten } from "../../internal/shorten.ts";

/** Rules for the hosts by which a server may be addressed, and for the origins of web pages. */
export interface HostRules {
  isHost(host: string): boolean;
  /** @param hosts - hosts named by the request: pages have to be from the same port unless origins are listed */
  isOrigin(origin: string, hosts: readonly string[]): boolean;
}

/** Allow-lists of hosts and origins; `"any"` disables a check. */
export interface HostOptions {
  /**
   * Hosts by which this server may be addressed: names (any port) or names with port. Protects a server on a developer's machine from web pages whose
   * own name resolves to it. Default: the loopback names.
   */
  readonly allowedHosts?: readonly string[] | "any";
  /**
   * Origins of the web pages allowed to use this server, such as `https://app.example`. Default: pages of an allowed host at the port of the request,
   * or at a port named in `allowedHosts`.
   */
  readonly allowedOrigins?: readonly string[] | "any";
}

/** Host names of the loopback interface. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Creates the rules for hosts and origins. The first rejected host and the first rejected origin are reported to `onError`, which shows the missing
 * setting. Later ones are not: clients must not fill the log.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 * @throws {SetupError} when an option is neither a list nor `"any"`, or a value of `allowedOrigins` is not an origin
 */
export function createHostRules(options: HostOptions & { readonly onError?: OnError }): HostRules {
  const { allowedHosts = loopbackHosts, allowedOrigins, onError } = options;
  checkList("allowedHosts", allowedHosts);
  checkList("allowedOrigins", allowedOrigins);
  const hosts = new Set((allowedHosts === "any" ? loopbackHosts : allowedHosts).map((host) => host.toLowerCase()));
  const origins = Array.isArray(allowedOrigins) ? new Set(allowedOrigins.map(toOrigin)) : undefined;
  const isPage = ({ protocol, hostname, port }: URL, asked: readonly string[]): boolean => {
    const usual = defaultPorts.get(protocol);
    if (usual === undefined) return false;
    const own = port || usual;
    if (hosts.has(`${hostname}:${own}`)) return true;
    return hosts.has(hostname) && asked.some((host) => (/:(\d+)$/.exec(host)?.[1] ?? usual) === own);
  };
  const isAllowed = (name: string): boolean =>
    allowedHosts === "any" || hosts.has(name) || hosts.has(name.replace(/:\d*$/, ""));
  const isOwnOrigin = (origin: string, asked: readonly string[]): boolean => {
    if (allowedOrigins === "any") return true;
    const url = parseUrl(origin);
    if (!url || url.origin !== origin.toLowerCase()) return false;
    return origins ? origins.has(url.origin) : isPage(url, asked);
  };
  const rejectHost = createRejection(
    "host",
    "is not in allowedHosts; add it there, to ALLOWED_HOSTS (projects) or --allowed-hosts (gateway)",
    onError,
  );
  const rejectOrigin = createRejection(
    "origin",
    "is not in allowedOrigins; add it to that option if its pages may use the server",
    onError,
  );
  /** Last allowed host. Nearly all requests name the same one. */
  let allowed: string | undefined;
  return {
    isHost(host) {
      if (host === allowed) return true;
      if (!isAllowed(host.toLowerCase())) return rejectHost(host);
      allowed = host;
      return true;
    },
    isOrigin: (origin, asked) => isOwnOrigin(origin, asked) || rejectOrigin(origin),
  };
}

/** Creates the rejection of values. It reports the first one. */
function createRejection(what: string, problem: string, onError: OnError | undefined): (value: string) => false {
  let isReported = false;
  return (value) => {
    if (isReported) return false;
    isReported = true;
    deliverReport({ kind: "protocol", error: new Error(`The ${what} ${shorten(value)} ${problem}`) }, { onError });
    return false;
  };
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ["http:", "80"],
  ["https:", "443"],
]);

function checkList(option: string, value: unknown): void {
  if (value === undefined || value === "any" || Array.isArray(value)) return;
  throw new SetupError(`${option} is a ${typeof value}; use a list, or "any" for no check`);
}

function toOrigin(value: string): string {
  if (isUrl(value)) return new URL(value).origin;
  throw new SetupError(
    `"${value}" in allowedOrigins is not an origin; use one such as https://app.example or http://localhost:5173`,
  );
}
