import type { Effect, EngineState, HistoryLine } from "../history.ts";

/* Lines of histories that are written by hand. */

export type Line = Partial<HistoryLine> & Pick<HistoryLine, "op" | "phase" | "id">;

/** Lines in order, 10 ms apart unless they say otherwise. */
export function toHistory(lines: readonly Line[]): readonly HistoryLine[] {
  return lines.map((line, index) => ({
    t: 1_000 + index * 10,
    client: "c",
    principal: "alice",
    session: "s",
    ...line,
  }));
}

export function toEffects(effects: readonly (Partial<Effect> & Pick<Effect, "kind" | "key">)[]): readonly Effect[] {
  return effects.map((effect, index) => ({ t: 1_005 + index * 10, node: "0.1", tool: "count", ...effect }));
}

export interface Sample {
  readonly lines: readonly Line[];
  readonly effects?: readonly (Partial<Effect> & Pick<Effect, "kind" | "key">)[];
  readonly engineState?: EngineState;
}

export function response(text: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } });
}

export function log(index: number, extra: object = {}): string {
  return JSON.stringify({ method: "notifications/message", params: { level: "info", data: { index, ...extra } } });
}

export function inputRequest(id: string, message: string): string {
  return JSON.stringify({ id, method: "elicitation/create", params: { message } });
}

export const call = (tool = "count", more: object = {}): Line => ({
  op: "call",
  phase: "call",
  id: "c/1",
  value: JSON.stringify({ tool, ...more }),
});
export const returned = (value = response("counted 1"), more: Partial<Line> = {}): Line => ({
  op: "call",
  phase: "return",
  id: "c/1",
  outcome: "ok",
  status: 200,
  value,
  ...more,
});
export const event = (sequence: number, value: string, more: Partial<Line> = {}): Line => ({
  op: "event",
  phase: "event",
  id: "c/1",
  event: `a1-${sequence}`,
  connection: "k1",
  value,
  ...more,
});
export const start = { kind: "start", key: "c/1" } as const;
export const end = { kind: "end", key: "c/1" } as const;
export const acknowledged = { kind: "acknowledged", key: "c/1", value: "0" } as const;
export const result = response("counted 1");
export const ran = [start, acknowledged, end] as const;

export const good: Sample = {
  lines: [call(), event(0, ""), event(1, log(0)), event(2, result), returned()],
  effects: ran,
};

/** Call that hangs, is cancelled at 1,030, and ends without a response. */
export const cancelled = (...more: readonly Line[]): readonly Line[] => [
  call("hang"),
  event(0, ""),
  { op: "cancel", phase: "call", id: "c/1" },
  { op: "cancel", phase: "return", id: "c/1", outcome: "ok" },
  returned("", { outcome: "unknown" }),
  ...more,
];

export const listening = (...events: readonly Line[]): readonly Line[] => [
  { op: "listen", phase: "call", id: "g" },
  { op: "listen", phase: "event", id: "g" },
  { op: "subscribe", phase: "return", id: "s", outcome: "ok" },
  ...events,
  { op: "listen", phase: "return", id: "g", t: 9_000 },
];
export const changed = (method: string, t: number): Line => ({
  op: "event",
  phase: "event",
  id: "g",
  t,
  value: JSON.stringify({ method }),
});
export const listChanged = changed("notifications/tools/list_changed", 1_600);
export const toggle = [
  { kind: "start", key: "x", tool: "toggle", t: 1_500 },
  { kind: "end", key: "x", tool: "toggle", t: 1_550 },
] as const;
export const touch = [
  { kind: "start", key: "x", tool: "touch", t: 1_500 },
  { kind: "end", key: "x", tool: "touch", t: 1_550 },
] as const;
export const fault = (node: string, from: number, to: number): readonly Line[] => [
  { op: "fault", phase: "call", id: "1", node, value: "kill", t: from },
  { op: "fault", phase: "return", id: "1", node, value: "kill", t: to },
];
export const read = (t: number, status: string, client = "c"): readonly Line[] => [
  { op: "task", phase: "call", id: "t", client, t },
  { op: "task", phase: "return", id: "t", client, t: t + 5, value: status, outcome: "ok" },
];
export const setLevel: Line = { op: "level", phase: "return", id: "s", outcome: "ok", t: 990 };
export const jti = (id: string): Line => ({ op: "jti", phase: "return", id, outcome: "ok" });
export const step = (kind: "step-start" | "step-finish", value: string): Effect => ({
  t: 1,
  node: "0.1",
  key: "t",
  kind,
  value,
});
export const rejection = (status: number, t: number): Line => returned("", { outcome: "fail", status, t });
