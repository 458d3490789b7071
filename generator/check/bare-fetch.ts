import { explainCause } from "../user-error.ts";

/** How a server is reached over HTTP. */
export interface HttpWireOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
  /** Is told why a request had no answer. */
  readonly onFailure?: (reason: string) => void;
}

/** What a request has besides method and headers. */
export interface BareRequest {
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request to the address; nothing when no answer came in time. A header with an empty value is left out. */
export async function fetchBare(
  { url, headers: given, timeout, onFailure }: HttpWireOptions,
  request: BareRequest & {
    readonly method: "GET" | "POST" | "DELETE";
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<Response | undefined> {
  const { method, body, signal } = request;
  const headers = Object.entries({ ...given, ...request.headers }).filter(([, value]) => value !== "");
  const late = AbortSignal.timeout(timeout);
  try {
    const init = { method, headers, redirect: "manual" as const, ...(body !== undefined && { body }) };
    return await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late });
  } catch (error) {
    // Whoever asked reports that no answer came.
    onFailure?.(late.aborted ? `nothing came within ${timeout / 1_000} s` : explainCause(error));
    return undefined;
  }
}

/** Whether an address is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
