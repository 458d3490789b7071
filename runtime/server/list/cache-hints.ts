import type { CacheHint } from "../../protocol/cache-hint.ts";

/** How long clients may keep what belongs to no single resource. A list of which not everybody sees all is always private. */
export interface CacheHints {
  /** What the server says about itself: capabilities and instructions. */
  readonly discover?: CacheHint;
  readonly tools?: CacheHint;
  readonly resources?: CacheHint;
  readonly resourceTemplates?: CacheHint;
  readonly prompts?: CacheHint;
  /** Skills, and their files. */
  readonly skills?: CacheHint;
}
