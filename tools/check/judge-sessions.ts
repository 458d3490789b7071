import type { Conversation } from "./conversation.ts";
import type { CheckResult, Rule } from "./finding.ts";
import { toFinding, type Observation } from "./probes/probe.ts";
import type { StrayData, Wire } from "./wires/wire.ts";

const base = "https://modelcontextprotocol.io/specification/2026-07-28/basic";

const fits: Rule = {
  id: "fits-revision",
  title: "Every message fits the negotiated revision",
  severity: "error",
  help: base,
};

const clean: Rule = {
  id: "clean-output",
  title: "Only messages are sent",
  severity: "error",
  help: `${base}/transports`,
};

/** Judges everything sent by a server in its sessions at one revision, also in sessions ended by it. */
export function judgeSessions(sessions: readonly [Conversation, ...Conversation[]]): readonly CheckResult[] {
  const revision = sessions[0].revision.id;
  const judge = (rule: Rule, observe: (session: Conversation) => readonly Observation[]): CheckResult => ({
    rule,
    revision,
    findings: sessions.flatMap(observe).map((seen) => toFinding(rule, seen)),
  });
  return [judge(fits, observeMessages), judge(clean, observeOutput)];
}

function observeMessages(session: Conversation): readonly Observation[] {
  return [...session.invalidMessages, ...session.readUnsolicited()].map(({ subject, problem }) => ({
    subject,
    message: problem,
    fix: "send only what the schema of this revision allows, or negotiate another revision",
  }));
}

function observeOutput({ wire }: Conversation): readonly Observation[] {
  return wire.strayData.map((strayData) => toStrayObservation(strayData, wire));
}

function toStrayObservation({ kind, text }: StrayData, { transport }: Wire): Observation {
  const fix =
    transport === "stdio"
      ? "write logs to standard error; in Node console.error instead of console.log, also in libraries"
      : "send JSON-RPC messages only, and write logs elsewhere";
  if (kind === "blank")
    return { subject: "output", message: "there are empty lines between messages", fix, severity: "warning" };
  return { subject: "output", message: `this is not a message: ${JSON.stringify(text.slice(0, 80))}`, fix };
}
