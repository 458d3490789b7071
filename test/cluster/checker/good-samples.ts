import {
  acknowledged,
  result,
  call,
  cancelled,
  changed,
  end,
  event,
  fault,
  good,
  jti,
  listChanged,
  listening,
  log,
  inputRequest,
  ran,
  read,
  rejection,
  response,
  returned,
  setLevel,
  start,
  step,
  toggle,
  touch,
  type Sample,
} from "./sample-lines.ts";

/** Histories without a violation, by what they contain. */
export const passing: Readonly<Record<string, Sample>> = {
  "a call with a result": good,
  "a stream that was resumed with one event twice": {
    lines: [
      call(),
      event(0, ""),
      event(1, log(0)),
      event(1, log(0), { connection: "k2" }),
      event(2, result, { connection: "k2" }),
      returned(),
    ],
    effects: ran,
  },
  "a call whose connection was cut before the first id": {
    lines: [call(), { op: "cut", phase: "event", id: "c/1" }, returned("", { outcome: "unknown" })],
    effects: ran,
  },
  "a call that a fault has rejected": { lines: [call(), ...fault("0", 1_005, 1_020), rejection(503, 1_050)] },
  "a call whose node has gone": {
    lines: [
      call(),
      event(0, ""),
      event(1, JSON.stringify({ id: 1, error: { code: -32_603, message: "gone" } })),
      returned(""),
      ...fault("0", 1_005, 1_020),
    ],
    effects: [start, acknowledged],
  },
  "a tool that has failed": {
    lines: [call(), returned(JSON.stringify({ id: 1, result: { isError: true, content: [] } }))],
    effects: [start, { kind: "failure", key: "c/1" }],
  },
  "a request that came to two nodes": {
    lines: [call(), call(), rejection(400, 1_030), returned()],
    effects: [start, end],
  },
  "an input request with its own response": {
    lines: [
      call("ask", { nonce: "n" }),
      event(0, inputRequest("a.1", "n")),
      event(1, response("n=n")),
      returned(response("n=n")),
    ],
    effects: [start, end],
  },
  "a call that was cancelled": { lines: cancelled(), effects: [start, { kind: "abort", key: "c/1", t: 1_500 }] },
  "a cancelled call whose node was killed": { lines: cancelled(...fault("0", 1_040, 1_060)), effects: [start] },
  "a repeated request whose node was killed": {
    lines: [
      call("slow"),
      call("slow"),
      rejection(400, 1_020),
      event(0, ""),
      ...fault("0", 1_040, 1_060),
      event(1, JSON.stringify({ id: 1, error: { code: -32_603, message: "gone" } }), { t: 7_000 }),
      returned(JSON.stringify({ id: 1, error: { code: -32_603, message: "gone" } }), { t: 7_000 }),
    ],
    effects: [start],
  },
  "a task that ends once": {
    lines: [...read(1, "working"), ...read(10, "input_required"), ...read(20, "working"), ...read(30, "failed")],
  },
  "two reads of a task at the same time": { lines: [...read(10, "completed"), ...read(12, "working", "d")] },
  "a notification in time": { lines: listening(listChanged), effects: toggle },
  "a notification after a fault": {
    lines: listening(...fault("engine", 1_500, 4_000), changed("notifications/tools/list_changed", 5_000)),
    effects: toggle,
  },
  "a change of a resource": { lines: listening(changed("notifications/resources/updated", 1_600)), effects: touch },
  "a log level that holds": {
    lines: [setLevel, call("log_levels"), event(0, log(0).replace("info", "error")), event(1, result), returned()],
    effects: ran,
  },
  "two proofs": { lines: [jti("1"), jti("2")] },
  "steps in two attempts": {
    lines: [],
    effects: [step("step-start", "a"), step("step-start", "a"), step("step-finish", "a=1")],
  },
  "an engine with nothing but what expires": {
    lines: [],
    engineState: { keysWithoutExpiry: [], leases: 2, livingNodes: 3, keysOfEnded: [] },
  },
};
