import { isRecord } from "../tool-schema/reading.ts";
import { UserError } from "../user-error.ts";

/** How an address is read. */
export interface AddressOptions {
  /** Named in errors. */
  readonly origin: string;
  /** What it may be relative to. */
  readonly base?: string | undefined;
}

/** Address of the first server, with the defaults of its variables. Nothing where it is not known. */
export function readAddress(servers: unknown, { origin, base }: AddressOptions): string | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isRecord(first) || typeof first.url !== "string") return undefined;
  const variables = isRecord(first.variables) ? first.variables : {};
  const text = first.url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isRecord(variable) && variable.default !== undefined ? String(variable.default) : whole;
  });
  // Without a host it is relative to where the document came from, which nobody knows; nor what a variable without a default is.
  if (/[{}]/.test(text) || !URL.canParse(text, base)) return undefined;
  const { protocol, href } = new URL(text, base);
  if (!/^https?:$/.test(protocol))
    throw new UserError(`${origin}: servers[0] is no http or https address: ${JSON.stringify(text).slice(0, 100)}.`);
  return (URL.canParse(text) ? text : href).replace(/\/+$/, "");
}

/** The same of an operation that has a server of its own: empty where it is not known. */
export function readOwnAddress(
  { operation, item }: { readonly operation: Record<string, unknown>; readonly item: Record<string, unknown> },
  options: AddressOptions,
): string | undefined {
  const servers = operation.servers ?? item.servers;
  return Array.isArray(servers) && servers.length > 0 ? (readAddress(servers, options) ?? "") : undefined;
}

/** True if an operation goes to another origin than the rest of its API: credentials of the API are not meant for it. */
export function isForeign(own: string | undefined, address: string | undefined): boolean {
  if (own === undefined || own === "") return false;
  return address === undefined || new URL(own).origin !== new URL(address).origin;
}
