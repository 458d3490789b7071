import { isObject } from "../../../generated/support.ts";
import type { CallOutcome, Conversation } from "../conversation.ts";
import { waitForEffect } from "../effect.ts";
import type { Probe, ProbeContext, Observation } from "./probe.ts";

const base = "https://modelcontextprotocol.io/specification/2026-07-28";
const alive = "keep serving after it: catch errors of individual messages";

/** Probes of the handling of single messages, known and unknown. */
export const messageProbes: readonly Probe[] = [
  {
    rule: {
      id: "answers-ping",
      title: "ping returns an empty result",
      severity: "error",
      help: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping",
    },
    applies: ({ revision }) => Object.hasOwn(revision.clientRequests, "ping"),
    run: async ({ conversation }) =>
      expectResult("ping", await conversation.ask("ping"), "respond to ping at any time with {}"),
  },
  {
    rule: {
      id: "keeps-ids",
      title: "Responses repeat the id of the request, whether string or number",
      severity: "error",
      help: `${base}/basic`,
    },
    run: async ({ conversation, revision }) => {
      const method = harmless(revision);
      const responses = [
        await conversation.ask(method, {}, { id: "doctor-a" }),
        await conversation.ask(method, {}, { id: 0 }),
      ];
      return responses.flatMap((response, at) =>
        response.kind === "none" || response.kind === "broken"
          ? [
              {
                subject: method,
                message: `a request with the id ${at === 0 ? '"doctor-a"' : "0"} got no matching response`,
                fix: "return the id unchanged: same value, same type",
              },
            ]
          : [],
      );
    },
  },
  {
    rule: {
      id: "unknown-method",
      title: "An unknown method is rejected with -32601",
      severity: "error",
      help: `${base}/basic`,
    },
    run: async ({ conversation }) =>
      expectCode(
        "doctor/unknown",
        await conversation.ask("doctor/unknown"),
        [-32601],
        "reject unknown methods with -32601 (method not found)",
      ),
  },
  {
    rule: {
      id: "ignores-unknown-notification",
      title: "Unknown notifications are ignored",
      severity: "error",
      help: `${base}/basic`,
    },
    run: async (context) => {
      await context.conversation.notify("notifications/doctor/unknown");
      return expectAlive(context, "an unknown notification");
    },
  },
  {
    rule: {
      id: "ignores-late-cancellation",
      title: "The cancellation of an unknown request is ignored",
      severity: "error",
      help: `${base}/basic/patterns/cancellation`,
    },
    applies: ({ revision }) => Object.hasOwn(revision.clientNotifications, "notifications/cancelled"),
    run: async (context) => {
      await context.conversation.notify("notifications/cancelled", { requestId: "doctor-none", reason: "too late" });
      return expectAlive(context, "the cancellation of a completed request");
    },
  },
];

/** Probes of messages that may harm a session, or whose responses have no id. */
export const harmfulProbes: readonly Probe[] = [
  {
    rule: {
      id: "survives-broken-json",
      title: "The server keeps working after text that is not JSON",
      severity: "error",
      help: `${base}/basic`,
    },
    run: async (context) => {
      const other = await context.openSecond();
      if (!other) return [];
      const { status } = await other.wire.sendText('{"jsonrpc": "2.0", ');
      const seen = await expectAlive({ ...context, conversation: other }, "text that is not JSON");
      const isRejected = status === undefined || (status >= 400 && status < 500);
      return isRejected
        ? seen
        : [
            ...seen,
            {
              subject: "invalid JSON",
              message: `the response is HTTP ${status}`,
              fix: "return HTTP 400 and the JSON-RPC error -32700",
              severity: "warning" as const,
            },
          ];
    },
  },
  {
    rule: {
      id: "accepts-batches",
      title: "Batches are accepted where the revision has them",
      // The official SDKs do not accept batches, and hosts send none.
      severity: "note",
      help: `${base}/basic`,
    },
    applies: ({ revision }) => revision.batching,
    run: probeBatch,
  },
];

/** Returns a harmless request, supported by every server of the revision. */
export function harmless(revision: ProbeContext["revision"]): string {
  return Object.hasOwn(revision.clientRequests, "ping") ? "ping" : "server/discover";
}

/** Returns a finding unless there is a result. */
export function expectResult(subject: string, response: CallOutcome, fix: string): Observation[] {
  switch (response.kind) {
    case "result":
      return [];
    case "error":
      return [
        {
          subject,
          message: `it returned the error ${String(response.code)}: ${response.message.slice(0, 200)}`,
          fix,
        },
      ];
    case "broken":
      return [{ subject, message: `it returned ${response.problem}`, fix }];
    case "none":
      return [{ subject, message: describeNone(response), fix: response.reason === "" ? fix : unreachable }];
    default:
      return response satisfies never;
  }
}

/** Returns a finding unless there is an error with one of these codes. */
export function expectCode(
  subject: string,
  response: CallOutcome,
  codes: readonly number[],
  fix: string,
): Observation[] {
  if (response.kind === "error" && codes.some((code) => code === response.code)) return [];
  if (response.kind === "error")
    return [{ subject, message: `it returned ${String(response.code)} instead of ${codes.join(" or ")}`, fix }];
  if (response.kind === "result") return [{ subject, message: "it returned a result instead of an error", fix }];
  return expectResult(subject, response, fix);
}

/** Advice for a server that cannot respond to anything. */
const unreachable = "keep it running; check the settings and the credentials that it needs";

function describeNone({ reason, exchange: { status } }: Extract<CallOutcome, { readonly kind: "none" }>): string {
  if (status !== undefined) return `there is no JSON-RPC response, only HTTP ${status}`;
  return reason === "" ? "there is no response" : `there is no response: ${reason}`;
}

/**
 * Returns a finding unless the server still responds. The first response shows that the server has received the message before it. A server that
 * exits or stops in the course of handling this message gives no second response.
 */
export async function expectAlive({ conversation, revision }: ProbeContext, after: string): Promise<Observation[]> {
  const method = harmless(revision);
  const responds = async (): Promise<boolean> => {
    const { kind } = conversation.wire.isOpen ? await conversation.ask(method) : { kind: "none" };
    // An error is a response as well.
    return kind === "result" || kind === "error";
  };
  if ((await responds()) && (await responds())) return [];
  const { isOpen, silence } = conversation.wire;
  const gone = isOpen ? `${method} gets no response any more` : silence || "the connection is closed";
  return [{ subject: after, message: `after ${after}, ${gone}`, fix: alive }];
}

async function probeBatch({ openSecond }: ProbeContext): Promise<Observation[]> {
  const other = await openSecond();
  if (!other) return [];
  const ping = (id: string): object => ({ jsonrpc: "2.0", id, method: "ping" });
  const givenUp = new AbortController();
  const { signal } = givenUp;
  const pending = other.wire.exchange([ping("doctor-1"), ping("doctor-2")], { id: "doctor-1", signal });
  await Promise.race([pending, waitForLater(other, signal)]);
  givenUp.abort();
  const { response } = await pending;
  const hasResponse = isObject(response) && isObject(response.result);
  const fix = "return the responses to a batch as an array, or do not negotiate this revision";
  return hasResponse ? [] : [{ subject: "a batch", message: "two pings in one batch got no responses", fix }];
}

/** Waits for the response to a later request and another second. If the server has sent nothing for the batch until then, it has ignored it. */
async function waitForLater(conversation: Conversation, signal: AbortSignal): Promise<void> {
  await conversation.ask("ping");
  await waitForEffect(1_000, signal);
}
