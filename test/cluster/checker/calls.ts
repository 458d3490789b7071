import { parseMessage, readText } from "../client/message.ts";
import {
  findResponses,
  groupBy,
  hasFault,
  linesOf,
  readRequest,
  type CallRecord,
  type Check,
  type IndexedEvidence,
  type Violation,
} from "./call-index.ts";

/** I3: a request has at most one response, and exactly one if its client went on to wait. Nothing is rejected without a fault. */
export const checkResponses: Check = (evidence) =>
  evidence.calls.flatMap((call): readonly Violation[] => {
    const responses = findResponses(call);
    const violation = (problem: string): Violation => ({ invariant: "I3", subject: call.key, problem });
    if (responses.length > 1) return [violation(`there are ${responses.length} responses`)];
    if (responses.length === 1 || isAbandoned(call, evidence)) return [];
    // A repeated request is rejected; the other one counts.
    const end = call.returns.find(({ status }) => call.calls.length === 1 || status !== 400) ?? call.returns[0];
    if (!end) return [violation("the client has not returned")];
    const outcome = `${end.outcome ?? ""}: ${end.value ?? ""}`;
    if (call.events.some(({ event }) => event !== undefined)) return [violation(`there is no response; ${outcome}`)];
    if (end.outcome === "unknown" && evidence.cut.has(call.key)) return [];
    if (hasFault(evidence, [(call.calls[0]?.t ?? 0) - afterFault, end.t]) && isExcusable(end.status)) return [];
    return [violation(`the request was rejected without a fault; ${outcome}`)];
  });

/** Milliseconds after a fault in which requests may still be rejected. */
const afterFault = 10_000;

/** True if a fault may be the reason of a status. A session is never lost to a fault, and an id never used without a request. */
function isExcusable(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 200;
}

/** True if a client did not wait for the response to a call. */
export function isAbandoned({ key, calls, returns }: CallRecord, { cancelled, ended }: IndexedEvidence): boolean {
  const last = returns.at(-1)?.t ?? Number.POSITIVE_INFINITY;
  const endedAt = ended.get(calls[0]?.session ?? "");
  return cancelled.has(key) || (endedAt !== undefined && endedAt <= last);
}

/** I3: no call ends with an internal error without a fault. */
export const checkErrors: Check = (evidence) =>
  evidence.calls.flatMap((call): readonly Violation[] => {
    const from = (call.calls[0]?.t ?? 0) - afterFault;
    const [failed] = findResponses(call).filter(({ message: { error } }) => error?.code === -32_603);
    if (!failed || isAbandoned(call, evidence) || hasFault(evidence, [from, call.returns.at(-1)?.t ?? from])) return [];
    const problem = `the request failed without a fault: ${failed.message.error?.message ?? ""}`;
    return [{ invariant: "I3", subject: call.key, problem }];
  });

/** I4: a result comes from a tool that has ended, and an error in its place from one that has failed. */
export const checkResults: Check = ({ calls }) =>
  calls.flatMap((call): readonly Violation[] => {
    const unfounded = findResponses(call).filter(({ message: { result } }) => {
      if (!result || "task" in result) return false;
      const kind = result["isError"] === true ? "failure" : "end";
      return !call.effects.some((effect) => effect.kind === kind);
    });
    return unfounded.map(() => ({
      invariant: "I4",
      subject: call.key,
      problem: "there is a result, but the tool has not ended",
    }));
  });

/** I5: a request starts its tool at most once. */
export const checkStarts: Check = ({ effects }) =>
  [
    ...groupBy(
      effects.filter(({ kind }) => kind === "start"),
      ({ key }) => key,
    ),
  ].flatMap(([key, starts]): readonly Violation[] => {
    if (starts.length === 1) return [];
    const nodes = starts.map(({ node }) => node).join(", ");
    return [{ invariant: "I5", subject: key, problem: `the tool was started ${starts.length} times, on ${nodes}` }];
  });

/** I6: an input request gets its own response, on the stream of its own call, and no two of a session have one id. */
export const checkInputRequests: Check = ({ calls }) => {
  const inputRequests = new Map<string, string>();
  return calls.flatMap((call): readonly Violation[] => {
    const { nonce } = readRequest(call);
    if (nonce === undefined) return [];
    const violation = (problem: string): Violation => ({ invariant: "I6", subject: call.key, problem });
    const found: Violation[] = [];
    for (const { value = "", session = "" } of call.events) {
      const message = parseMessage(value);
      if (message?.method !== "elicitation/create") continue;
      const text = String(message.params?.["message"]);
      const id = `${session} ${JSON.stringify(message.id)}`;
      if (text !== nonce) found.push(violation("the question of another call came on the stream"));
      if ((inputRequests.get(id) ?? text) !== text)
        found.push(violation(`the input request has the id of another one, ${id}`));
      inputRequests.set(id, text);
    }
    for (const { message } of findResponses(call)) {
      const text = message.result && readText(message);
      const isError = message.result?.["isError"] === true;
      if (text !== undefined && !isError && text !== `${nonce}=${nonce}`)
        found.push(violation(`the response is ${text}`));
    }
    return found;
  });
};

/** Milliseconds from the start of a tool until its question has reached the client. */
const inputTime = 2_000;

/** Delay: a question reaches its client at once, unless there is a fault. */
export const checkDelays: Check = (evidence, { slack }) =>
  evidence.calls.flatMap((call): readonly Violation[] => {
    const start = call.effects.find(({ kind }) => kind === "start");
    const requested = call.events.find(({ value = "" }) => parseMessage(value)?.method === "elicitation/create");
    if (!start || !requested || requested.t - start.t <= inputTime + slack) return [];
    if (evidence.cut.has(call.key) || hasFault(evidence, [start.t - afterFault, requested.t])) return [];
    return [{ invariant: "delay", subject: call.key, problem: `the input request took ${requested.t - start.t} ms` }];
  });

/** Milliseconds until a cancellation reaches the node that runs the call. */
const cancelTime = 1_000;

/** I7: cancellation and the end of a session reach the node that runs the call, unless a fault hits it. */
export const checkCancellation: Check = (evidence, { slack }) => {
  const accepted = (op: "cancel" | "end"): ReadonlyMap<string, number> =>
    new Map(
      linesOf(evidence.history, op, "return")
        .filter(({ outcome }) => outcome === "ok")
        .map(({ id, t }) => [id, t]),
    );
  const [cancelled, ended] = [accepted("cancel"), accepted("end")];
  return evidence.calls.flatMap((call): readonly Violation[] => {
    const at = cancelled.get(call.key) ?? ended.get(call.calls[0]?.session ?? "");
    const start = call.effects.find(({ kind }) => kind === "start");
    if (at === undefined || !start || start.t > at) return [];
    const last = call.effects.find(({ kind }) => ["abort", "end", "failure"].includes(kind));
    const deadline = at + cancelTime + slack;
    if (last && last.t <= deadline) return [];
    if (hasFault(evidence, [start.t, deadline], ({ target }) => target === "engine" || isNode(target, start.node)))
      return [];
    const problem = last ? `the tool was aborted after ${last.t - at} ms` : "the tool was not aborted";
    return [{ invariant: "I7", subject: call.key, problem }];
  });
};

/** True if a node of an effect, `<index>.<start>`, is a process of the node with this index. */
function isNode(index: string, name: string): boolean {
  return name.split(".")[0] === index;
}
