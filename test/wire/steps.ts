import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../templates/support.ts";
import * as script from "./script.ts";
import type { RevisionId, Step } from "./script.ts";

/** A JSON-RPC message that was received. */
export type Message = Readonly<Record<string, unknown>>;

/** A conversation in which the steps of the script are sent and recorded. */
export interface Recording {
  readonly revision: RevisionId;
  readonly entries: string[];
  /** Sends and records a message; returns the response, or an empty object when none is due. */
  post(message: unknown): Promise<Message>;
  /** Sends a request without a record. */
  postUnrecorded(method: string, params: object): Promise<Message>;
}

/** Sends steps one after another, each with the steps that follow from its response. */
export async function runSteps(recording: Recording, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await runStep(recording, step);
}

/** Items of a list, page by page. */
export async function listItems(recording: Recording, kind: string): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: unknown;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const message = script.request(recording.revision, `list-${items.length}`, `${kind}/list`, params);
    const { result } = await runStep(recording, { name: `${kind}/list`, message });
    if (!isObject(result) || !Array.isArray(result[kind])) break;
    items.push(...result[kind]);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return items;
}

async function runStep(recording: Recording, first: Step): Promise<Message> {
  let step: Step | undefined = first;
  let response: Message = {};
  for (let round = 1; step; round++) {
    if (step.until) await poll(recording, step.until);
    recording.entries.push(`# ${step.name}`);
    response = await recording.post(step.message);
    if (step.settle !== undefined) await sleep(step.settle);
    step = script.followUp(recording.revision, step.message, response.result, round);
  }
  return response;
}

async function poll(recording: Recording, { method, params }: NonNullable<Step["until"]>): Promise<void> {
  let previous: unknown;
  let status: unknown;
  do {
    await sleep(script.pollInterval);
    previous = status;
    status = script.statusOf((await recording.postUnrecorded(method, params)).result);
    // A task requires input for a moment only when the response is on its way.
  } while (status === "working" || (status === "input_required" && previous !== status));
}
