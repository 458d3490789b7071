import type { HistoryLine } from "../history.ts";
import { groupBy, type Check, type Violation } from "./call-index.ts";

/** Order of the statuses of tasks. A task may go back from `input_required` to `working`. */
const ranks: Readonly<Record<string, number>> = {
  working: 0,
  input_required: 0,
  completed: 1,
  failed: 1,
  cancelled: 1,
};

/** I9: the status of a task moves forward, ends once, and a task whose creation had a response is found. */
export const checkTasks: Check = ({ history }) =>
  [...groupBy(toReads(history), ({ id }) => id)].flatMap(([id, reads]): readonly Violation[] => {
    const violation = (problem: string): Violation => ({ invariant: "I9", subject: id, problem });
    const unknown = reads.filter(({ outcome }) => outcome === "fail").map(() => violation("the task was not found"));
    const known = reads.filter(({ outcome }) => outcome === "ok");
    const backward = known.flatMap((read) => {
      // Only a read that has returned before another one began is surely the earlier one.
      const before = known.filter(({ to }) => to < read.from).filter(({ status }) => isAfter(status, read.status));
      return before.slice(0, 1).map(({ status }) => violation(`the status was ${status}, and then ${read.status}`));
    });
    return [...unknown, ...backward];
  });

interface Read {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly status: string;
  readonly outcome: HistoryLine["outcome"];
}

/** Pairs the lines before and after each read. A client reads a task one time after the other. */
function toReads(history: readonly HistoryLine[]): readonly Read[] {
  const begins = new Map<string, number>();
  return history.flatMap(({ op, phase, id, client, t, value: status = "", outcome }): readonly Read[] => {
    if (op !== "task") return [];
    const reader = `${client} ${id}`;
    if (phase === "return") return [{ id, from: begins.get(reader) ?? t, to: t, status, outcome }];
    begins.set(reader, t);
    return [];
  });
}

/** True if a task that had the first status cannot have the second one later. */
function isAfter(first: string, second: string): boolean {
  const [from = 0, to = 0] = [ranks[first], ranks[second]];
  return from > to || (from === 1 && first !== second);
}

/** I11: a step of a task has one result in all attempts, and does not start again after it was recorded. */
export const checkSteps: Check = ({ effects }) => {
  const steps = effects.filter(({ kind }) => kind === "step-start" || kind === "step-finish");
  const nameOf = (value = ""): string => value.split("=")[0] ?? "";
  const groups = groupBy(steps, ({ key, value }) => `${key} ${nameOf(value)}`);
  return [...groups].flatMap(([subject, lines]): readonly Violation[] => {
    const results = new Set(lines.filter(({ kind }) => kind === "step-finish").map(({ value }) => value));
    const finished = lines.findIndex(({ kind }) => kind === "step-finish");
    const isRepeated = finished >= 0 && lines.slice(finished).some(({ kind }) => kind === "step-start");
    return [
      ...(results.size > 1 ? [{ invariant: "I11", subject, problem: `the step has ${results.size} results` }] : []),
      ...(isRepeated ? [{ invariant: "I11", subject, problem: "the step was started again after its end" }] : []),
    ];
  });
};
