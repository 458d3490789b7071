import { isRecord } from "../internal/json-text.ts";
import { UserError } from "../internal/user-error.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** Options of reading an address. */
export interface AddressOptions {
  /** Source, for error messages. */
  readonly origin: string;
  /** Base of relative addresses. */
  readonly base?: string | undefined;
}

/**
 * Returns the address of the first server, with the defaults of its variables. Returns `undefined` when it is not known.
 *
 * @throws {UserError} when the address is not one of HTTP.
 */
export function readAddress(servers: unknown, { origin, base }: AddressOptions): string | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isRecord(first) || typeof first.url !== "string") return undefined;
  const variables = isRecord(first.variables) ? first.variables : {};
  const text = first.url.replaceAll(/\{([^{}]{1,1000})\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isRecord(variable) ? variable.default : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  // Without a host, the address is relative to the origin of the document, which is unknown here. A variable without a default is unknown as well.
  if (/[{}]/.test(text) || !isUrl(text, base)) return undefined;
  const { protocol, href, origin: host, pathname, search, hash, username, password } = new URL(text, base);
  if (!/^https?:$/.test(protocol))
    throw new UserError(
      `${origin}: servers[0] is not an http or https address: ${JSON.stringify(text).slice(0, 100)}.`,
    );
  if (username + password !== "")
    throw new UserError(
      `${origin}: servers[0] contains a user name or a password; remove them, and set them as a setting.`,
    );
  if (search + hash !== "") return (host + pathname).replace(endingSlashes, "");
  return (isUrl(text) ? text : href).replace(endingSlashes, "");
}

/** Slashes at the end of an address, without a search from each slash of a longer row. */
const endingSlashes = /(?<!\/)\/{1,1000}$/;

/** An operation with its path item. */
interface OperationServers {
  readonly operation: Record<string, unknown>;
  readonly item: Record<string, unknown>;
}

/** Returns the address that all operations name as their own; `undefined` when they name none or several. */
export function readSharedAddress(
  operations: readonly OperationServers[],
  options: AddressOptions,
): string | undefined {
  const addresses = new Set(operations.map((operation) => readOwnAddress(operation, options)));
  const [address] = addresses;
  return addresses.size === 1 && address !== "" ? address : undefined;
}

/** Returns the address of an operation with a server of its own; empty when it is not known. Returns `undefined` when the operation has none. */
export function readOwnAddress({ operation, item }: OperationServers, options: AddressOptions): string | undefined {
  const servers = operation.servers ?? item.servers;
  return Array.isArray(servers) && servers.length > 0 ? (readAddress(servers, options) ?? "") : undefined;
}

/** True if an operation has another origin than the rest of its API. Credentials of the API must not be sent there. */
export function isForeign(own: string | undefined, address: string | undefined): boolean {
  if (own === undefined || own === "") return false;
  return address === undefined || new URL(own).origin !== new URL(address).origin;
}
