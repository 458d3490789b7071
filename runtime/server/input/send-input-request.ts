import type { RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { InvalidMessageError } from "../../jsonrpc/errors.ts";
import { readTaskParams, withoutTask } from "../../tasks/task.ts";
import { checkInputRequest } from "./check-input.ts";
import type { AskForTask } from "../feature.ts";
import { readInputState, type ClientRequest, type InputRunner } from "./input-runner.ts";

/** Functions with which an input request is sent and its response is checked. */
export interface InputRequestParts extends Pick<InputRunner, "check"> {
  readonly askForTask: AskForTask | undefined;
  /** Cancels the input request. Default: the signal of the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends an input request to the client and waits for the response. With `task` among its params, the client runs it as a task if both sides support
 * tasks: then the response may take long, and nothing is lost when a connection is lost.
 *
 * @throws {CapabilityError} when the client did not declare a capability needed by the params
 * @throws {InvalidMessageError} when the params or the response are invalid
 */
export async function sendInputRequest(
  call: CallContext,
  { row, params, key, accept }: ClientRequest,
  { askForTask, check, signal }: InputRequestParts,
): Promise<unknown> {
  const inputState = readInputState(call);
  if (inputState) return inputState.ask({ row, params: withoutSessionMembers(params), key, accept });
  const response = await request(call, row, { params, key, askForTask, signal });
  const issue = check?.(row, params, response) ?? (accept && (await accept(response)));
  if (issue) throw new InvalidMessageError(row.method, "result", issue);
  return response;
}

/** Removes the members `task` and `elicitationId`, which belong to sessions: an input request inside a result has neither. */
export function withoutSessionMembers(params: object): object {
  const { task: _task, elicitationId: _id, ...rest }: Record<string, unknown> = { ...params };
  return rest;
}

function request(
  call: CallContext,
  row: RequestRow,
  parts: Pick<ClientRequest, "params" | "key"> & Pick<InputRequestParts, "askForTask" | "signal">,
): Promise<unknown> {
  const { params, key, askForTask, signal = call.signal } = parts;
  checkInputRequest(row, params, call.session);
  if (!readTaskParams(params)) return call.request(row, params, { signal, key });
  return askForTask ? askForTask(call, row, params) : call.request(row, withoutTask(params), { signal, key });
}
