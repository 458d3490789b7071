import type { LimitRig } from "./rig.ts";

/** Published limit that is reached once. */
export interface LimitCase {
  /** Options type and member that set it, or the guide's name of a limit that has no option. */
  readonly limit: string;
  /** Transport of the server. */
  readonly over: "tcp" | "websocket" | "http";
  /** Action that reaches the limit. */
  readonly action: string;
  /** Documented outcome. */
  readonly outcome: string;
  /** Reaches the limit at a server, and returns what happened. */
  readonly reach: (rig: LimitRig) => Promise<string>;
  /** Server with the limit. */
  readonly open: () => Promise<LimitRig>;
}
