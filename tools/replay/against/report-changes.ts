import { isObject } from "../../../generated/support.ts";
import type { ContractChange, Impact } from "../../../generator/typed-client/contract/impact.ts";
import type { ValueDifference } from "./compare-values.ts";
import { pathText } from "./ignored-paths.ts";
import type { LiveOutcome } from "./live-connection.ts";

/** Names a message by its method and by what it is about. */
export function describeSubject(method: string, params: unknown): string {
  const { name, uri, ref } = isObject(params) ? params : {};
  const about = [name, uri, isObject(ref) ? (ref.name ?? ref.uri) : undefined].find((one) => typeof one === "string");
  return about === undefined ? method : `${method} ${about}`;
}

/** Describes a difference between two values. */
export function toChange(subject: string, { kind, path, recorded, live }: ValueDifference): ContractChange {
  const place = path.length === 0 ? "" : `${pathText(path)} `;
  const details = {
    added: `${place}added: ${valueText(live)}`,
    removed: `${place}removed: ${valueText(recorded)}`,
    changed: `${place}changed from ${valueText(recorded)} to ${valueText(live)}`,
  };
  return { kind, subject, detail: details[kind], client: impacts[kind], server: "neutral" };
}

/** Clients ignore unknown members; a removed or different member may be needed. */
const impacts: Readonly<Record<ValueDifference["kind"], Impact>> = {
  added: "additive",
  removed: "risky",
  changed: "risky",
};

/** Describes a result in place of an error, or the reverse. */
export function toOutcomeChange(
  subject: string,
  recorded: { readonly kind: "result" | "error"; readonly result?: unknown; readonly error?: unknown },
  live: LiveOutcome,
): ContractChange {
  const before = recorded.kind === "result" ? "a result" : `the error ${valueText(recorded.error)}`;
  const detail = `changed from ${before} to ${outcomeText(live)}`;
  return {
    kind: "changed",
    subject,
    detail,
    client: recorded.kind === "result" ? "breaking" : "risky",
    server: "neutral",
  };
}

function outcomeText(live: LiveOutcome): string {
  switch (live.kind) {
    case "result":
      return "a result";
    case "error":
      return `the error ${valueText(live.error)}`;
    case "failure":
      return `no response: ${live.reason}`;
    default:
      return live satisfies never;
  }
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Maximum characters of a value in a report. */
const longest = 120;
