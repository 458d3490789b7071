import type { RequestRow } from "../../generated/support.ts";
import type { RequestHandler, Routes } from "../protocol/routes.ts";
import type { Timeouts } from "../jsonrpc/limits.ts";
import type { Profile } from "../protocol/profile.ts";
import type { Capabilities } from "../protocol/session.ts";
import { notInitialized } from "./initialize-routes.ts";

/** Options in which the time-outs of a profile stand wherever none are given. */
export function withProfile<Options extends { readonly profile?: Profile; readonly timeouts?: Partial<Timeouts> }>(
  options: Options,
): Options {
  return { ...options, timeouts: { ...options.profile?.timeouts, ...options.timeouts } };
}

/** What the other side declares, as the profile reads it. */
export function readDeclared(capabilities: Capabilities, profile: Profile | undefined): Capabilities {
  return profile?.readCapabilities?.(capabilities) ?? capabilities;
}

/** How requests are refused that come before the handshake, where the profile has a way of its own. */
export function toRefusal(profile: Profile | undefined): Partial<Pick<Routes, "refuse">> {
  const code = profile?.notInitialized;
  return code === undefined ? {} : { refuse: () => notInitialized(code) };
}

/** A request that ends the session, where the profile has one: it is answered before the connection closes. */
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
