import { isObject } from "../../../generated/support.ts";
import type { Capabilities } from "./session.ts";

/** Adds a capability. Capabilities are objects, which may contain others; two are booleans. */
export function declareCapability(declared: Capabilities, path: readonly string[]): Capabilities {
  const [name, ...rest] = path;
  if (name === undefined) return declared;
  const known = declared[name];
  return { ...declared, [name]: switches.has(name) || declareCapability(isObject(known) ? known : {}, rest) };
}

const switches: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);
