import type { Revision } from "../../generated/support.ts";
import type { Conversation } from "./conversation.ts";
import type { Finding, Rule } from "./finding.ts";
import type { WireFactory } from "./wire.ts";

/** What a probe has at hand: an open session, and how to open others. */
export interface ProbeContext {
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly wires: WireFactory;
  /** Opens another session of the same revision; nothing when that fails. */
  readonly reopen: () => Promise<Conversation | undefined>;
  /** What the server lists. */
  readonly lists: Lists;
}

/** What a server lists, page after page. */
export interface Lists {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly prompts: readonly Readonly<Record<string, unknown>>[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly resourceTemplates: readonly Readonly<Record<string, unknown>>[];
}

/** Looks at one thing. */
export interface Probe {
  readonly rule: Rule;
  /** Whether it concerns this server at this revision. */
  readonly applies?: (context: ProbeContext) => boolean;
  readonly run: (context: ProbeContext) => Promise<readonly Seen[]> | readonly Seen[];
}

/** What a probe found; the rule says the rest. */
export type Seen = Omit<Finding, "rule" | "severity"> & Partial<Pick<Finding, "severity">>;

/** A finding of a rule. */
export function toFinding(rule: Rule, seen: Seen): Finding {
  return { rule: rule.id, severity: rule.severity, ...seen };
}
