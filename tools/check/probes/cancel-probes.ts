import { isObject } from "../../../generated/support.ts";
import type { CallOutcome, Conversation } from "../conversation.ts";
import { waitForEffect } from "../effect.ts";
import { HttpWire } from "../wires/http-wire.ts";
import { expectAlive, harmless } from "./message-probes.ts";
import type { Probe, ProbeContext, Observation } from "./probe.ts";

const help = "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation";

/** Probes of requests cancelled while they run. */
export const cancelProbes: readonly Probe[] = [
  {
    rule: {
      id: "cancellation",
      title: "A request can be cancelled, and the server keeps working",
      severity: "error",
      help,
    },
    run: async (context) => {
      const conversation = await context.openSecond();
      return conversation ? probeCancelled({ ...context, conversation }) : [];
    },
  },
];

const cancelledId = "doctor-cancelled";

async function probeCancelled(context: ProbeContext): Promise<Observation[]> {
  const { conversation, revision } = context;
  const { method, params } = longest(context);
  // A server that does not respond to this request anyway would seem to suffer from the cancellation.
  if ((await conversation.ask(harmless(revision))).kind !== "result") return [];
  const givenUp = new AbortController();
  const { signal } = givenUp;
  const pending = conversation.ask(method, params, { id: cancelledId, checks: false, signal });
  if (isCancelledByClosing(context)) {
    // When this response arrives, the server has received the other request as well.
    await conversation.ask(harmless(revision));
    givenUp.abort();
  } else
    await conversation.notify("notifications/cancelled", { requestId: cancelledId, reason: "not needed any more" });
  // Neither the end of a stream nor the end of a handler is ordered with the response to a later request.
  await waitForEffect();
  const dead = await expectAlive(context, `${method} was cancelled`);
  // Do not wait for the response: the server need not send one.
  givenUp.abort();
  const response = await pending;
  if (dead.length > 0) return dead;
  return [...twice(conversation, response), ...checkOpen(conversation), ...(await checkRejected(context, response))];
}

/** Returns the slowest harmless request. */
function longest({ conversation, revision }: ProbeContext): {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
} {
  const kinds = ["tools", "prompts", "resources"];
  const changing = kinds.filter((kind) => conversation.has(kind, "listChanged"));
  if (changing.length > 0 && Object.hasOwn(revision.clientRequests, listen)) {
    const notifications = Object.fromEntries(changing.map((kind) => [`${kind}ListChanged`, true]));
    return { method: listen, params: { notifications } };
  }
  const listed = kinds.find((kind) => conversation.has(kind));
  return { method: listed === undefined ? harmless(revision) : `${listed}/list`, params: {} };
}

const listen = "subscriptions/listen";

/** True if closing the connection cancels a request. Without sessions, over HTTP nothing else identifies the request. */
function isCancelledByClosing({ conversation, revision }: ProbeContext): boolean {
  return conversation.wire instanceof HttpWire && revision.lifecycle === "per-request";
}

function twice({ wire }: Conversation, { kind }: CallOutcome): Observation[] {
  const isAgain = kind !== "none" && wire.unsolicited.some((value) => isResponse(value) && value.id === cancelledId);
  const fix = "send at most one response to a request, and none after its cancellation";
  return isAgain ? [{ subject: "a cancelled request", message: "it got two responses", fix }] : [];
}

/** Finds an error response to the cancellation. It is a notification, so such a response carries no id of this client. */
function checkOpen({ wire }: Conversation): Observation[] {
  const error = wire.unsolicited.find((value) => isResponse(value) && value.id !== cancelledId);
  const fix = "never respond to a notification; ignore cancellations of completed requests";
  return error ? [{ subject: "notifications/cancelled", message: "it got an error response", fix }] : [];
}

function isResponse(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !("method" in value);
}

/** Reports an error response to the cancelled request. An error may have other causes, so it counts only if the request succeeds otherwise. */
async function checkRejected(
  { conversation, ...context }: ProbeContext,
  response: CallOutcome,
): Promise<Observation[]> {
  if (response.kind !== "error") return [];
  const { method, params } = longest({ ...context, conversation });
  const again = method === listen ? undefined : await conversation.ask(method, params, { checks: false });
  if (again?.kind !== "result") return [];
  const message = `it returned the error ${String(response.code)} after its cancellation`;
  const fix = "send no response to a cancelled request";
  return [{ subject: "a cancelled request", message, fix, severity: "warning" }];
}
