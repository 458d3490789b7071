import type { RequestRow } from "../../generated/support.ts";
import type { RequestHandler, Routes } from "../protocol/peer/routes.ts";
import type { Timeouts } from "../jsonrpc/limits.ts";
import type { Profile } from "../protocol/profile.ts";
import type { Capabilities } from "../protocol/session/session.ts";
import { notInitialized } from "./initialize-routes.ts";

/** Adds the timeouts of a profile to options; given timeouts take precedence. */
export function withProfile<Options extends { readonly profile?: Profile; readonly timeouts?: Partial<Timeouts> }>(
  options: Options,
): Options {
  return { ...options, timeouts: { ...options.profile?.timeouts, ...options.timeouts } };
}

/** Returns the capabilities declared by the peer, as the profile reads them. */
export function readDeclared(capabilities: Capabilities, profile: Profile | undefined): Capabilities {
  return profile?.readCapabilities?.(capabilities) ?? capabilities;
}

/** Returns the rejection of requests before the handshake, if the profile defines one. */
export function toLifecycleRejection(profile: Profile | undefined): Partial<Pick<Routes, "reject">> {
  const code = profile?.notInitialized;
  return code === undefined ? {} : { reject: () => notInitialized(code) };
}

/** Adds the request for ending the session, if the profile defines one. Its result is sent before the connection closes. */
export function addShutdown(
  { requests }: Routes,
  ping: RequestRow,
  profile: Profile | undefined,
): Partial<Pick<Routes, "requests">> {
  if (profile?.shutdown === undefined) return {};
  const row = { ...ping, method: profile.shutdown };
  const handle: RequestHandler = (_params, { connection }) => {
    queueMicrotask(() => void connection.close());
    return {};
  };
  return { requests: new Map([...requests, [row.method, { row, handle }]]) };
}
