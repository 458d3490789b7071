import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InspectorEvent, PageCommand, SessionState } from "../../../tools/inspect/page-messages.ts";
import { createListStore, type ListStore } from "../../../tools/inspect/page/lists.ts";
import { createStore, type Outcome } from "../../../tools/inspect/page/store.ts";

/* Lists of the page while a server changes them, ends or is started again. */

test("a reading that ends late does not replace a later one", async () => {
  const { lists, respond } = createLists();
  lists.read("r", "tools");
  await Promise.resolve();
  lists.refresh("r", "tools");
  await respond(1, "new");
  await respond(0, "old");
  expect(lists.read("r", "tools")).toEqual({ kind: "ready", items: [{ name: "new" }] });
});

test("a thousand changes while a list is read are one further reading", async () => {
  const { lists, waiting, respond } = createLists();
  lists.read("r", "tools");
  await Promise.resolve();
  for (let count = 0; count < 1_000; count += 1) lists.invalidate("r", "tools");
  expect(waiting).toHaveLength(1);
  await respond(0, "old");
  expect(waiting).toHaveLength(2);
  await respond(1, "new");
  expect(waiting).toHaveLength(2);
  expect(lists.read("r", "tools")).toEqual({ kind: "ready", items: [{ name: "new" }] });
});

let source: EventTarget;
let sent: string[];

beforeEach(() => {
  sent = [];
  vi.stubGlobal("EventSource", function createSource() {
    source = new EventTarget();
    return source;
  });
  // The lists fail, which ends their reading as well as a result does.
  vi.stubGlobal("fetch", async (kind: PageCommand["kind"], { body }: { readonly body: string }) => {
    const { method }: { readonly method: string } = JSON.parse(body);
    sent.push(`${kind} ${method}`);
    return new Response("failed", { status: 400 });
  });
});

afterEach(() => vi.unstubAllGlobals());

const opening: SessionState = { kind: "opening" };
const open: SessionState = { kind: "open", serverInfo: {}, capabilities: {} };
const closed: SessionState = { kind: "closed", reason: "The server process ended" };

test.each<[string, readonly InspectorEvent[], number]>([
  ["is reported again", [toState(open), toState(open)], 0],
  ["ends", [toState(closed)], 0],
  ["ends and is opened again", [toState(closed), toState(opening), toState(open), toState(open)], 1],
  ["may have changed while the page was not connected", [{ kind: "reset" }, toState(open), toState(open)], 1],
])("the lists of a session that %s are read again if they are outdated", async (_name, events, count) => {
  const store = createStore();
  take(toState(opening), toState(open));
  store.lists.read("r", "tools");
  await settled();
  expect(sent).toEqual(["request tools/list"]);
  take(...events);
  await settled();
  expect(sent.slice(1)).toEqual(Array.from({ length: count }, () => "request tools/list"));
});

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

function toState(session: SessionState): InspectorEvent {
  const shared = { version: "1", target: "x", spoken: "r", revisions: [], roots: [] };
  return { kind: "state", state: { ...shared, sessions: { r: session } } };
}

function take(...events: readonly InspectorEvent[]): void {
  for (const event of events) source.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(event) }));
}

interface WaitingLists {
  readonly lists: ListStore;
  /** Functions that end the readings, in the order of their beginning. */
  readonly waiting: readonly ((outcome: Outcome) => void)[];
  respond(at: number, name: string): Promise<void>;
}

function createLists(): WaitingLists {
  const waiting: ((outcome: Outcome) => void)[] = [];
  const lists = createListStore(() => ({
    outcome: new Promise<Outcome>((resolve) => waiting.push(resolve)),
    progress: signal(undefined),
    cancel() {},
  }));
  const respond = async (at: number, name: string): Promise<void> => {
    waiting[at]?.({ kind: "result", result: { tools: [{ name }] }, milliseconds: 1 });
    await settled();
  };
  return { lists, waiting, respond };
}
