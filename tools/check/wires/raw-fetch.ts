import { explainCause } from "../../../generator/internal/user-error.ts";

/** Options of a connection to a server over HTTP. */
export interface HttpWireOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds to wait for a response. */
  readonly timeout: number;
  /** Receives the reason why a request got no response. */
  readonly onFailure?: (reason: string) => void;
}

/** Body and abort signal of a request. */
export interface RawRequest {
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request to the address. Returns `undefined` when no response arrives in time. A header with an empty value is left out. */
export async function fetchRaw(
  { url, headers: given, timeout, onFailure }: HttpWireOptions,
  request: RawRequest & {
    readonly method: "GET" | "POST" | "DELETE";
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<Response | undefined> {
  const { method, body, signal } = request;
  const headers = Object.entries(joinHeaders(given, request.headers)).filter(([, value]) => value !== "");
  const late = AbortSignal.timeout(timeout);
  try {
    const init = { method, headers, redirect: "manual" as const, ...(body !== undefined && { body }) };
    return await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late });
  } catch (error) {
    // The caller reports the missing response.
    onFailure?.(late.aborted ? `no response within ${timeout / 1_000} s` : explainCause(error));
    return undefined;
  }
}

/** Joins headers. A later one replaces an earlier one of the same name, whose case does not count. */
export function joinHeaders(...all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const entries = all.flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** True if an address is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
