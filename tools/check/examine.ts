import { isObject, type Revision } from "../../generated/support.ts";
import { isHandshake } from "../../runtime/lifecycle/negotiation.ts";
import { Conversation, own, type CallOutcome } from "./conversation.ts";
import type { CheckReport, CheckResult, Finding, Rule } from "./finding.ts";
import { checkHosts } from "./hosts/check-hosts.ts";
import type { HostProfile } from "./hosts/profiles.ts";
import { describeUnknownRevisions, unknownRevisionAdvice } from "../live/unknown-revision.ts";
import { permissionStep, requiresCredentials, credentialStep } from "../live/unreachable.ts";
import { checkServerCard } from "./server-card.ts";
import { judgeSessions } from "./judge-sessions.ts";
import { lintRules } from "./lint.ts";
import { createSecondSession, openSession, type Rejection } from "./open-session.ts";
import { toFinding, toResult, type Lists, type Probe, type ProbeContext } from "./probes/probe.ts";
import { cancelProbes } from "./probes/cancel-probes.ts";
import { featureProbes } from "./probes/feature-probes.ts";
import { httpProbes } from "./probes/http-probes.ts";
import { paramHeaderProbes } from "./probes/param-header-probes.ts";
import { olderProbes } from "./probes/older-probes.ts";
import { harmfulProbes, messageProbes } from "./probes/message-probes.ts";
import { tcpProbes, webSocketProbes } from "./probes/socket-probes.ts";
import { probeEndpoint, sseProbes } from "./probes/sse-probes.ts";
import { readLists } from "./read-lists.ts";
import { timePhase } from "../../generator/internal/phase.ts";
import { safeLine } from "../../generator/internal/text.ts";
import { textOf } from "./server-text.ts";
import type { Exchange, WireFactory } from "./wires/wire.ts";

/** Options of an examination of one server. */
export interface ExamineOptions {
  readonly target: string;
  /** Revisions to try, newest first. */
  readonly revisions: readonly Revision[];
  /** Hosts whose documented rules are checked. Default: none. */
  readonly hosts?: ReadonlyMap<string, HostProfile>;
  /** Names of the sent headers. Default: none. */
  readonly headers?: readonly string[];
  /** Receives a text about each step. */
  readonly onStep?: (text: string) => void;
  /** Returns advice about a server that opens no session, if its reason calls for specific advice. Otherwise returns an empty text. */
  readonly advise?: (rejection: string) => string;
}

/** Examines a server: which revisions it supports, and how well it implements each of them. */
export async function examine(wires: WireFactory, options: ExamineOptions): Promise<CheckReport> {
  const negotiation = await probeNegotiation(wires, options);
  const results: CheckResult[] = [...(await probeEndpoint(wires)), negotiation.result];
  const outcomes = await examineRevisions(wires, { ...options, isSilent: negotiation.isSilent });
  const examined = outcomes.filter((outcome) => "conversation" in outcome);
  results.push(...examined.flatMap(({ found }) => found));
  const spoken = examined.map(({ conversation }) => conversation.revision.id);
  const anything = {
    id: "known-revision",
    title: "The server supports a known revision",
    severity: "error",
  } as const satisfies Rule;
  const rejections = outcomes.filter((outcome) => "response" in outcome);
  const unknown = spoken.length === 0 ? toUnknown(rejections, options) : undefined;
  // The newest revision reports the most about the server.
  const [newest] = examined;
  const tools = newest?.lists.tools ?? [];
  results.push(toResult(anything, [unknown]), ...lint(tools));
  if (newest) {
    const { info, instructions, capabilities } = newest.conversation;
    if (wires.address) results.push(...(await checkServerCard(wires.address, { info, revisions: spoken })));
    const { hosts, headers = [] } = options;
    const { transport } = wires;
    const hosted = { name: info.name, transport, revisions: spoken, instructions, capabilities, tools, headers };
    if (hosts) results.push(...checkHosts(hosts, hosted));
  }
  const { name, version } = examined.at(-1)?.conversation.info ?? { name: "", version: "" };
  return { target: options.target, server: { name, version }, revisions: spoken, results };
}

/** Results of one supported revision. */
interface Examined {
  readonly conversation: Conversation;
  readonly found: readonly CheckResult[];
  readonly lists: Lists;
}

/**
 * Tries the revisions one after the other until the server opens a session: each one without a response takes the whole timeout, and a package manager
 * may install the program at its first start. The others are examined beside the first. Resolves in the order of the revisions.
 */
async function examineRevisions(
  wires: WireFactory,
  { revisions, onStep, isSilent: isNegotiationSilent }: ExamineOptions & { readonly isSilent: boolean },
): Promise<readonly (Examined | Rejection)[]> {
  const rejections: Rejection[] = [];
  // Servers with HTTP with SSE, the oldest transport, know no stateless requests.
  const tried = wires.transport === "sse" ? revisions.filter(isHandshake) : revisions;
  const start = (revision: Revision): ReturnType<typeof openSession> => {
    onStep?.(`revision ${revision.id}`);
    return openSession(wires, revision);
  };
  for (const [at, revision] of tried.entries()) {
    const opened = await start(revision);
    if (opened instanceof Conversation) {
      const rest = tried.slice(at + 1);
      return [...rejections, ...(await examineTogether(opened, rest, { wires, start }))];
    }
    rejections.push(opened);
    // No revision is tried after two handshakes without any response.
    if (isNegotiationSilent && isHandshake(revision) && isSilent(opened.response)) break;
  }
  return rejections;
}

/** Examines the revision of an open session, and others at the same time. */
async function examineTogether(
  opened: Conversation,
  others: readonly Revision[],
  { wires, start }: { readonly wires: WireFactory; start(revision: Revision): ReturnType<typeof openSession> },
): Promise<readonly (Examined | Rejection)[]> {
  const examineOther = async (revision: Revision): Promise<Examined | Rejection> => {
    const next = await start(revision);
    return next instanceof Conversation ? examineRevision(next, wires) : next;
  };
  // Many servers with HTTP with SSE send all messages on the stream that was opened last.
  if (wires.transport === "sse")
    return [await examineRevision(opened, wires), ...(await mapLimited(others, 1, examineOther))];
  const beside = mapLimited(others, maxBesideFirst, examineOther);
  // A program may write its log only after a while, so the first session stays open the longest.
  const [first, outcomes] = await Promise.all([examineRevision(opened, wires, { until: beside }), beside]);
  // A server may permit one session at a time, for example because it locks a file. The selection of another revision is final.
  const again = async (outcome: Examined | Rejection): Promise<Examined | Rejection> =>
    "response" in outcome && outcome.response.kind !== "result" ? examineOther(outcome.revision) : outcome;
  return [first, ...(await mapLimited(outcomes, 1, again))];
}

/** Number of revisions that are examined at the same time as the first one. Each has up to two sessions, which over stdio are programs. */
const maxBesideFirst = 3;

/** Runs work for every item, for at most `limit` items at the same time. Resolves in the order of the items. */
async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // All workers take their items from the same iterator.
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}

function examineRevision(
  conversation: Conversation,
  wires: WireFactory,
  options: { readonly until?: Promise<unknown> } = {},
): Promise<Examined> {
  return timePhase(`revision ${conversation.revision.id}`, () => probeRevision(conversation, wires, options));
}

async function probeRevision(
  conversation: Conversation,
  wires: WireFactory,
  { until }: { readonly until?: Promise<unknown> },
): Promise<Examined> {
  const { revision } = conversation;
  const { lists, result } = await readLists(conversation);
  const reopen = async (): Promise<Conversation | undefined> => {
    const opened = await openSession(wires, revision);
    return opened instanceof Conversation ? opened : undefined;
  };
  const second = createSecondSession(reopen);
  let context: ProbeContext = { conversation, revision, wires, lists, openSecond: second.open };
  // Some servers keep one session only, so the second one is opened last.
  const probes = [...messageProbes, ...featureProbes, ...transportProbes[wires.transport], ...secondProbes];
  const found: CheckResult[] = [result];
  const sessions: [Conversation, ...Conversation[]] = [conversation];
  for (const probe of probes) {
    if (!context.conversation.wire.isOpen) {
      await context.conversation.wire.close();
      // A probe may end a server. One that keeps exiting by itself would fail the other probes for the same reason.
      const next = sessions.length > mostExits ? undefined : await reopen();
      if (!next) {
        await second.close();
        return { conversation, found: [...found, ...judgeSessions(sessions)], lists };
      }
      sessions.push(next);
      context = { ...context, conversation: next };
    }
    const results = await runProbe(probe, context);
    found.push(...results);
    // After a fault, the next probe would fail for the same reason.
    if (results.some(({ findings }) => findings.length > 0)) await second.close();
  }
  await second.close();
  await until;
  found.push(...judgeSessions(sessions));
  const { wasKilled } = await context.conversation.wire.close();
  return { conversation, found: [...found, ...endResult(revision, wires, wasKilled)], lists };
}

/** Probes of the second session. Only a new session has no responses to earlier messages, so the cancellation comes first. */
const secondProbes: readonly Probe[] = [...cancelProbes, ...harmfulProbes];

/** Number of exits of a server after which no further probe runs. */
const mostExits = 2;

const transportProbes: Readonly<Record<WireFactory["transport"], readonly Probe[]>> = {
  stdio: [],
  http: [...httpProbes, ...paramHeaderProbes, ...olderProbes],
  sse: sseProbes,
  tcp: tcpProbes,
  websocket: webSocketProbes,
};

async function runProbe(probe: Probe, context: ProbeContext): Promise<CheckResult[]> {
  if (probe.applies && !probe.applies(context)) return [];
  const seen = await probe.run(context);
  return [{ rule: probe.rule, revision: context.revision.id, findings: seen.map((one) => toFinding(probe.rule, one)) }];
}

/** Returns the observation of a server without any known revision. It has the revisions the server offers, or the reason of the last rejection. */
function toUnknown(rejections: readonly Rejection[], options: ExamineOptions): Omit<Finding, "rule" | "severity"> {
  const message = describeUnknownRevisions(rejections.flatMap(({ response }) => readOffered(response)));
  if (message !== undefined) return { subject: "server", message, fix: unknownRevisionAdvice };
  const rejection = rejections.at(-1);
  const reason = rejection ? describeRejection(rejection) : "";
  return {
    subject: "server",
    message: `it supports no known revision${reason === "" ? "" : `: ${reason}`}`,
    fix: options.advise?.(reason) || (rejection && adviseOn(rejection, options)) || usualAdvice,
  };
}

/** Returns the revisions named in a server's response to `initialize` or `server/discover`. */
function readOffered(response: CallOutcome): readonly unknown[] {
  if (response.kind === "error") return isObject(response.data) ? toList(response.data.supported) : [];
  if (response.kind !== "result") return [];
  const { protocolVersion, supportedVersions } = response.result;
  return [protocolVersion, ...toList(supportedVersions)];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const usualAdvice = "check that it starts, and its address and credentials; raise --timeout for a slow server";

/** Returns the next step after a rejection; `undefined` if its cause is open. */
function adviseOn({ response, stray }: Rejection, { headers = [] }: ExamineOptions): string | undefined {
  if (response.kind !== "none") return undefined;
  const { status, rejection, reason } = response.exchange;
  if (status === undefined)
    return stray === undefined ? undefined : "send only messages, and write everything else to standard error";
  if (status < 300 && reason !== undefined) return undefined;
  if (requiresCredentials({ status, wwwAuthenticate: rejection?.wwwAuthenticate })) return credentialStep(headers);
  if (status === 403) return permissionStep;
  if (rejection?.location !== undefined) return "use the address that it redirects to";
  return status >= 500 ? "look for the cause in the log of the server" : "check the address; its path is often /mcp";
}

/** Reason why no session was opened. */
function describeRejection({ response, stray }: Rejection): string {
  const { status } = response.exchange;
  const sent =
    stray === undefined ? "" : `; it sent ${JSON.stringify(stray.slice(0, 80))}, which is not a JSON-RPC message`;
  switch (response.kind) {
    case "error":
      return `it returned the error ${String(response.code)}, ${response.message}`;
    case "broken":
      return `it returned ${response.problem}`;
    case "result":
      return "it selected another revision";
    case "none":
      if (status === undefined) return `${response.reason || "no response in time"}${sent}`;
      return `it returned HTTP ${status}${status < 300 ? withoutResponse(response.exchange, sent) : describeHttp(response.exchange)}`;
    default:
      return response satisfies never;
  }
}

function withoutResponse({ reason }: Exchange, sent: string): string {
  return reason === undefined ? ` without a response${sent}` : `: ${reason}`;
}

function describeHttp({ rejection }: Exchange): string {
  const { body = "", location } = rejection ?? {};
  const target = location === undefined ? "" : ` to ${safeLine(location)}`;
  return body === "" ? target : `${target}: ${safeLine(body)}`;
}

/** Checks the response to an unknown revision: it must name a supported one, or be an error. */
async function probeNegotiation(
  wires: WireFactory,
  { revisions }: ExamineOptions,
): Promise<{ readonly result: CheckResult; readonly isSilent: boolean }> {
  const rule = {
    id: "negotiates",
    title: "An unknown revision is negotiated to a supported one",
    severity: "error",
    help: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
  } as const satisfies Rule;
  const [revision] = revisions.filter(({ lifecycle }) => lifecycle === "handshake");
  if (!revision) return { result: toResult(rule), isSilent: false };
  const wire = await wires.open();
  const conversation = new Conversation(wire, revision);
  const response = await conversation.ask(
    "initialize",
    { protocolVersion: nowhere, capabilities: own.capabilities, clientInfo: own.info },
    { checks: false },
  );
  await wire.close();
  const echoed = {
    subject: "initialize",
    message: `it accepts the revision ${nowhere}, which does not exist`,
    fix: "return the newest supported revision",
  };
  const isEchoed = response.kind === "result" && response.result.protocolVersion === nowhere;
  return { result: toResult(rule, [isEchoed ? echoed : undefined]), isSilent: isSilent(response) };
}

/** True if a request got no response of any kind. */
function isSilent(response: CallOutcome): boolean {
  return response.kind === "none" && response.exchange.status === undefined;
}

/** Id of no revision: it is older than the protocol. */
const nowhere = "1999-01-01";

function endResult(revision: Revision, wires: WireFactory, wasKilled: boolean): CheckResult[] {
  if (wires.transport !== "stdio") return [];
  const rule = {
    id: "ends",
    title: "The server exits when its input ends",
    severity: "warning",
    help: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown",
  } as const satisfies Rule;
  const seen = {
    subject: "shutdown",
    message: "it did not exit when its input ended, and was killed",
    fix: "exit when standard input ends; stop timers and close connections",
  };
  return [{ rule, revision: revision.id, findings: wasKilled ? [toFinding(rule, seen)] : [] }];
}

function lint(tools: Lists["tools"]): CheckResult[] {
  return lintRules.map(({ rule, check }) =>
    toResult(
      rule,
      tools.flatMap((tool) => check(tool).map((seen) => ({ subject: `tool ${textOf(tool.name)}`, ...seen }))),
    ),
  );
}
