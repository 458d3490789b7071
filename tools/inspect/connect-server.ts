import { connectStdio } from "../../runtime/client/connect-stdio.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import type { UpstreamTarget } from "../../runtime/gateway/index.ts";
import { passedLimits } from "../../runtime/gateway/upstream/upstream-target.ts";
import { EraCache } from "../../runtime/lifecycle/era-cache.ts";
import { toServer, type ServerAddress } from "../live/server-address.ts";

/** Returns the server at a place. The output of a program on stderr goes to a function. */
export function toObservedServer(
  place: ServerAddress,
  onOutput: (text: string) => void,
): UpstreamTarget | ConnectionFactory {
  if (place.kind !== "command") return toServer(place);
  const { kind: _kind, ...program } = place;
  const eras = new EraCache();
  return (options) => connectStdio({ ...program, stderr: onOutput, limits: passedLimits }, { ...options, eras });
}
