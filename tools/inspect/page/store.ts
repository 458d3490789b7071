import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type {
  InputRequest,
  InspectorEvent,
  InspectorState,
  ShownError,
  ShownProgress,
  TimelineEntry,
} from "../page-messages.ts";
import { RecentEntries } from "../recent-entries.ts";
import { sendCommand } from "./commands.ts";
import { findBuildProblem, type BuildProblem } from "./values/build-problem.ts";
import { createListStore, type ListStore } from "./lists.ts";

/** Outcome of a request. */
export type Outcome =
  | { readonly kind: "result"; readonly result: unknown; readonly milliseconds: number }
  | { readonly kind: "error"; readonly error: ShownError; readonly milliseconds: number };

/** Sent request. */
export interface Call {
  readonly outcome: Promise<Outcome>;
  readonly progress: ReadonlySignal<ShownProgress | undefined>;
  cancel(): void;
}

/** Parts of the page, one for each tab. */
export type Tab = "tools" | "resources" | "prompts" | "tasks" | "log" | "server" | "request" | "messages";

/** Data shared by the parts of the page. */
export interface Store {
  readonly state: Signal<InspectorState | undefined>;
  /** Problem of the connection to the inspector. */
  readonly offline: Signal<string | undefined>;
  readonly tab: Signal<Tab>;
  /** Selected revision. */
  readonly protocol: Signal<string>;
  /** Revision to compare it with; empty for none. */
  readonly other: Signal<string>;
  /** Selected revisions: one, or two in a comparison. */
  readonly protocols: ReadonlySignal<readonly string[]>;
  /** Selected items by the name of their list. They stay selected when the revision changes. */
  readonly picked: Signal<Readonly<Record<string, string>>>;
  readonly inputRequests: Signal<readonly InputRequest[]>;
  readonly output: Signal<string>;
  /** Problem of the newest version of the server, if its development server reports one. */
  readonly buildProblem: ReadonlySignal<BuildProblem | undefined>;
  /** Latest messages in order; the signal changes with the list. */
  readonly entries: {
    readonly list: readonly TimelineEntry[];
    readonly changes: Signal<number>;
    readonly dropped: number;
  };
  /** Sequence of the message whose details are shown. */
  readonly selected: Signal<number | undefined>;
  readonly lists: ListStore;
  /** Sends a request at a revision. */
  call(protocol: string, method: string, params: Readonly<Record<string, unknown>>, options?: CallOptions): Call;
}

/** Options of a request. */
export interface CallOptions {
  readonly isRaw?: boolean;
}

/** Creates the store, and fills it with the events of the inspector. */
export function createStore(): Store {
  const pending = new Map<string, PendingCall>();
  const state = signal<InspectorState | undefined>(undefined);
  const offline = signal<string | undefined>(undefined);
  const protocol = signal("");
  const other = signal("");
  const inputRequests = signal<readonly InputRequest[]>([]);
  const output = signal("");
  let recent = new RecentEntries();
  const changes = signal(0);
  const call: Store["call"] = (spoken, method, params, { isRaw } = {}) => {
    const id = crypto.randomUUID();
    const progress = signal<ShownProgress | undefined>(undefined);
    const begin = performance.now();
    const outcome = new Promise<Outcome>((resolve) => {
      const settle = (settled: Settled): void => {
        pending.delete(id);
        resolve({ ...settled, milliseconds: Math.round(performance.now() - begin) });
      };
      pending.set(id, { settle, progress });
      sendCommand({ kind: "request", id, protocol: spoken, method, params, ...(isRaw === true && { isRaw }) }).catch(
        (error: Error) => settle({ kind: "error", error: { message: error.message } }),
      );
    });
    return { outcome, progress, cancel: () => void sendCommand({ kind: "cancel", id }).catch(() => {}) };
  };
  const lists = createListStore(call);
  /** Revisions whose lists may have changed while nobody listened: until their session is open again. */
  const outdated = new Set<string>();
  const takeState = (next: InspectorState): void => {
    state.value = next;
    if (protocol.value === "") protocol.value = next.spoken;
    for (const [id, session] of Object.entries(next.sessions)) {
      if (session.kind === "closed") outdated.add(id);
      if (session.kind === "open" && outdated.delete(id)) lists.invalidate(id);
    }
  };

  const take = (event: InspectorEvent): void => {
    switch (event.kind) {
      case "state":
        return takeState(event.state);
      case "reset":
        recent = new RecentEntries();
        changes.value += 1;
        output.value = "";
        for (const id of Object.keys(state.value?.sessions ?? {})) outdated.add(id);
        for (const { settle } of pending.values())
          settle({
            kind: "error",
            error: { message: "The connection to the inspector was lost; send the request again." },
          });
        return;
      case "traffic":
        for (const entry of event.entries) recent.add(entry);
        changes.value += 1;
        return;
      case "input":
        inputRequests.value = event.requests;
        return;
      case "result":
        return pending.get(event.command)?.settle({ kind: "result", result: event.result });
      case "error":
        return pending.get(event.command)?.settle({ kind: "error", error: event.error });
      case "progress": {
        const running = pending.get(event.command);
        if (running) running.progress.value = event.progress;
        return;
      }
      case "list-changed":
        return lists.invalidate(event.protocol, event.list);
      case "output":
        output.value = (output.value + event.text).slice(-longestOutput);
        return;
      default:
        return event satisfies never;
    }
  };
  openEvents(take, (problem) => (offline.value = problem));
  return {
    state,
    offline,
    tab: signal<Tab>("tools"),
    protocol,
    other,
    protocols: computed(() => [protocol.value, other.value].filter((id) => id !== "")),
    picked: signal<Readonly<Record<string, string>>>({}),
    inputRequests,
    output,
    buildProblem: computed(() => findBuildProblem(output.value)),
    entries: {
      get list() {
        return recent.list;
      },
      get dropped() {
        return recent.dropped;
      },
      changes,
    },
    selected: signal<number | undefined>(undefined),
    lists,
    call,
  };
}

type Settled =
  { readonly kind: "result"; readonly result: unknown } | { readonly kind: "error"; readonly error: ShownError };

interface PendingCall {
  readonly progress: Signal<ShownProgress | undefined>;
  settle(settled: Settled): void;
}

/** Opens the stream of events, which the browser opens again when it is lost. */
function openEvents(take: (event: InspectorEvent) => void, report: (problem: string | undefined) => void): void {
  const source = new EventSource("events");
  source.addEventListener("message", ({ data }: MessageEvent<string>) => take(JSON.parse(data)));
  source.addEventListener("open", () => report(undefined));
  source.addEventListener("error", () =>
    report("The inspector no longer responds. If it has ended, start it again, and open its new address."),
  );
}

const longestOutput = 256 * 1024;
