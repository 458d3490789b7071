import type { RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { InvalidMessageError } from "../../jsonrpc/errors.ts";
import { readTaskParams, withoutTask } from "../../tasks/task.ts";
import { checkQuestion } from "./check-request.ts";
import type { AskForTask } from "../feature.ts";
import { readRound, type Rounds } from "./rounds.ts";

/** What is asked. */
export interface ClientQuestion {
  readonly row: RequestRow;
  readonly params: object;
  /** Its name where it is part of a result. */
  readonly key?: string | undefined;
}

/** What asking takes. */
export interface AskingParts extends Pick<Rounds, "check"> {
  readonly askForTask: AskForTask | undefined;
}

/**
 * Puts a question to the client and waits for the answer. With `task` among its params the client does it as a task, if both sides can:
 * then the answer may take long, and nothing is lost when a connection is.
 */
export async function askClient(
  call: CallContext,
  { row, params, key }: ClientQuestion,
  { askForTask, check }: AskingParts,
): Promise<unknown> {
  const round = readRound(call);
  if (round) return round.ask(row, withoutSessionMembers(params), key);
  const answer = await request(call, row, { params, key, askForTask });
  const issue = check?.(row, params, answer);
  if (issue) throw new InvalidMessageError(row.method, "result", issue);
  return answer;
}

/** A question inside of a result is no task, and has no id: both are of sessions. */
export function withoutSessionMembers(params: object): object {
  const { task: _task, elicitationId: _id, ...rest }: Record<string, unknown> = { ...params };
  return rest;
}

function request(
  call: CallContext,
  row: RequestRow,
  { params, key, askForTask }: Pick<ClientQuestion, "params" | "key"> & Pick<AskingParts, "askForTask">,
): Promise<unknown> {
  const { signal, session } = call;
  checkQuestion(row, params, session);
  if (!readTaskParams(params)) return call.request(row, params, { signal, key });
  return askForTask ? askForTask(call, row, params) : call.request(row, withoutTask(params), { signal, key });
}
