import type { Revision } from "../../../generated/support.ts";
import type { Conversation } from "../conversation.ts";
import type { CheckResult, Finding, Rule } from "../finding.ts";
import type { WireFactory } from "../wires/wire.ts";

/** Context of a probe: an open session, and a function to open others. */
export interface ProbeContext {
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly wires: WireFactory;
  /** Opens the second session, for messages that may harm a session or leave responses behind. Resolves to `undefined` on failure. */
  readonly openSecond: () => Promise<Conversation | undefined>;
  /** Tools, prompts and resources of the server. */
  readonly lists: Lists;
}

/** Lists of a server, read page by page to the end. */
export interface Lists {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly prompts: readonly Readonly<Record<string, unknown>>[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly resourceTemplates: readonly Readonly<Record<string, unknown>>[];
}

/** A single check of a server. */
export interface Probe {
  readonly rule: Rule;
  /** True if the probe applies to this server at this revision. Default: always. */
  readonly applies?: (context: ProbeContext) => boolean;
  readonly run: (context: ProbeContext) => Promise<readonly Observation[]> | readonly Observation[];
}

/** Observation of a probe. The rule supplies its id, and the severity unless the probe sets one. */
export type Observation = Omit<Finding, "rule" | "severity"> & Partial<Pick<Finding, "severity">>;

/** Creates a finding of a rule. Its texts may quote a server, so they are bounded: reports repeat them. */
export function toFinding(rule: Rule, { severity = rule.severity, subject, message, fix }: Observation): Finding {
  return {
    rule: rule.id,
    severity,
    subject: shorten(subject, 300),
    message: shorten(message, 2_000),
    fix: shorten(fix, 2_000),
  };
}

function shorten(text: string, maximum: number): string {
  return text.length > maximum ? `${text.slice(0, maximum)}…` : text;
}

/** Returns the result of a rule independent of the revision. No observation means the server complies. */
export function toResult(rule: Rule, seen: readonly (Observation | undefined)[] = []): CheckResult {
  return { rule, revision: "", findings: seen.flatMap((one) => (one ? [toFinding(rule, one)] : [])) };
}
