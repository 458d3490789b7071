import { setTimeout as pause } from "node:timers/promises";
import { isObject } from "../../../generated/support.ts";
import type { ContractChange } from "../../typed-client/contract/impact.ts";
import { mask } from "./volatile.ts";
import { compareValues, type CompareOptions } from "./compare-values.ts";
import type { LiveNotification } from "./live-connection.ts";
import { describeSubject } from "./report-changes.ts";

/**
 * Lists recorded notifications that a live server has not sent, and others that it has sent. Their order does not count. Missing ones may
 * still arrive for a moment.
 */
export async function compareNotifications(
  recorded: readonly LiveNotification[],
  live: readonly LiveNotification[],
  isIgnored: CompareOptions["isIgnored"],
): Promise<readonly ContractChange[]> {
  const wanted = recorded.filter(isCompared);
  for (let waited = 0; waited < longestWait; waited += step) {
    if (match(wanted, live.filter(isCompared), isIgnored).missing.length === 0) break;
    await pause(step);
  }
  const { missing, further } = match(wanted, live.filter(isCompared), isIgnored);
  return [...missing.map((one) => toChange("removed", one)), ...further.map((one) => toChange("added", one))];
}

interface Matched {
  readonly missing: readonly LiveNotification[];
  readonly further: readonly LiveNotification[];
}

function match(
  recorded: readonly LiveNotification[],
  live: readonly LiveNotification[],
  isIgnored: CompareOptions["isIgnored"],
): Matched {
  const rest = [...live];
  const missing = recorded.filter((one) => {
    const at = rest.findIndex((other) => isSame(one, other, isIgnored));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return { missing, further: rest };
}

function isSame(recorded: LiveNotification, live: LiveNotification, isIgnored: CompareOptions["isIgnored"]): boolean {
  if (recorded.method !== live.method) return false;
  const [before, after] = [withoutReferences(recorded.params), withoutReferences(live.params)];
  return compareValues(before, after, { isIgnored }).length === 0;
}

/** Removes metadata, and the token of the request that progress belongs to. */
function withoutReferences(params: unknown): Record<string, unknown> {
  const { _meta, progressToken: _token, ...rest } = isObject(params) ? params : {};
  return rest;
}

/** The number of progress reports depends on the speed of the server, and cancellations belong to the transport. */
function isCompared({ method }: LiveNotification): boolean {
  return method !== "notifications/progress" && method !== "notifications/cancelled";
}

function toChange(kind: "added" | "removed", { method, params }: LiveNotification): ContractChange {
  const text = mask(JSON.stringify(withoutReferences(params)));
  const detail = `${kind === "added" ? "further notification" : "missing notification"} ${text}`;
  const client = kind === "added" ? "additive" : "risky";
  return { kind, subject: describeSubject(method, params), detail, client, server: "neutral" };
}

/** Milliseconds to wait for missing notifications, and between two checks. */
const longestWait = 1_000;
const step = 50;
