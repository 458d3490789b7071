import { createHash } from "node:crypto";

/** Lua script run by Redis in one step. */
export interface RedisScript {
  readonly name: string;
  readonly text: string;
  /** Hash under which Redis knows the script. */
  readonly hash: string;
}

/** Declares a script. */
export function defineScript(name: string, text: string): RedisScript {
  return { name, text, hash: createHash("sha1").update(text).digest("hex") };
}
