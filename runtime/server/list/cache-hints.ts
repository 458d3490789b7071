import type { CacheHint } from "../../protocol/methods/cache-hint.ts";

/** Cache hints for results of no single resource. A list with entries of restricted visibility is always private. */
export interface CacheHints {
  /** The server's information about itself: capabilities and instructions. */
  readonly discover?: CacheHint;
  readonly tools?: CacheHint;
  readonly resources?: CacheHint;
  readonly resourceTemplates?: CacheHint;
  readonly prompts?: CacheHint;
  /** Skills and their files, in lists and reads. */
  readonly skills?: CacheHint;
}
