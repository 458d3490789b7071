import { readVariable } from "../../internal/placeholder.ts";
import { ListenError, isLoopback } from "../../transport/listening.ts";

/** Values of the options for ports, by option name; `true` for an option without a value. */
export type PortOptions = ReadonlyMap<string, string | true>;

/**
 * Parses a port. `given` is the quoted input in the error message.
 *
 * @throws {ListenError} when the text is not a port from 0 to 65535.
 */
export function toPort(text: string | true | undefined, given: string): number {
  if (typeof text === "string" && /^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new ListenError(`${given} is not a port; use 0 (any free port) to 65535`);
}

/**
 * Reads the port of an option; undefined if the option is not given.
 *
 * @throws {ListenError} when its value is not a port.
 */
export function readPortOption(ports: PortOptions, name: string): number | undefined {
  const text = ports.get(name);
  return text === undefined ? undefined : toPort(text, text === true ? `--${name}` : `--${name} ${text}`);
}

/**
 * Reads the listening address and the permitted host names from `HOST` and `ALLOWED_HOSTS`. An empty variable counts as missing: as an address, an empty
 * text would mean all addresses of the machine.
 */
export function readHosts(): { readonly host?: string; readonly allowedHosts?: readonly string[] } {
  const host = readVariable(process.env, "HOST");
  const hosts = readVariable(process.env, "ALLOWED_HOSTS") ?? "";
  const allowedHosts = hosts.split(",").flatMap((name) => name.trim() || []);
  return { ...(host !== undefined && { host }), ...(allowedHosts.length > 0 && { allowedHosts }) };
}

/** Warns on stderr if other machines can reach a server without authentication. */
export function warnUnauthenticated(name: string, { host = "127.0.0.1", authenticate }: OpenOptions): void {
  if (authenticate !== undefined || isLoopback(host)) return;
  console.error(
    `${name}: Warning: the server is reachable from other machines without authentication; pass authenticate`,
  );
}

interface OpenOptions {
  readonly host?: string;
  readonly authenticate?: unknown;
}

/** Closes a listener when the process receives SIGINT, SIGTERM or SIGBREAK. */
export function closeOnSignal(listener: { close(): Promise<void> }): void {
  const stop = (): void => void listener.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK"]) process.once(signal, stop);
}
