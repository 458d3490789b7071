import { signal, type Signal } from "@preact/signals";
import type { Call, CallOptions } from "./store.ts";
import { memberOf, objectsOf, type JsonObject } from "./values/values.ts";

/** Lists of a server. */
export type ListKind = "tools" | "resources" | "resourceTemplates" | "prompts";

/** List of a server at one revision. */
export type ListState =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly items: readonly JsonObject[] }
  | { readonly kind: "failed"; readonly message: string }
  /** The server does not have this kind of list. */
  | { readonly kind: "missing" };

/** Lists by revision and kind, each read when it is first shown. */
export interface ListStore {
  /** Returns a list. Reads it if that has not begun yet. */
  read(protocol: string, list: ListKind): ListState;
  /** Reads a list again. */
  refresh(protocol: string, list: ListKind): void;
  /** Reads the lists of a kind again if they are known, because the server has changed them. */
  invalidate(protocol: string, kind: string): void;
}

type Send = (protocol: string, method: string, params: JsonObject, options?: CallOptions) => Call;

/** Creates the lists, which are read with the given function. */
export function createListStore(send: Send): ListStore {
  const lists = new Map<string, Signal<ListState>>();
  const load = (protocol: string, list: ListKind, state: Signal<ListState>): void => {
    const { method } = kinds[list];
    void send(protocol, method, {}).outcome.then((outcome) => {
      state.value = toState(outcome, list);
    });
  };
  const find = (protocol: string, list: ListKind): Signal<ListState> => {
    const key = `${protocol} ${list}`;
    const known = lists.get(key);
    if (known) return known;
    const state = signal<ListState>({ kind: "loading" });
    lists.set(key, state);
    // After the current render, which must not change what it reads.
    queueMicrotask(() => load(protocol, list, state));
    return state;
  };
  return {
    read: (protocol, list) => find(protocol, list).value,
    refresh: (protocol, list) => load(protocol, list, find(protocol, list)),
    invalidate(protocol, kind) {
      for (const list of listKinds) {
        const state = lists.get(`${protocol} ${list}`);
        if (state && kinds[list].changes === kind) load(protocol, list, state);
      }
    },
  };
}

function toState(outcome: Awaited<Call["outcome"]>, list: ListKind): ListState {
  if (outcome.kind === "result") return { kind: "ready", items: objectsOf(memberOf(outcome.result, list)) };
  const { isMissing, message } = outcome.error;
  return isMissing ? { kind: "missing" } : { kind: "failed", message };
}

const kinds: Readonly<Record<ListKind, { readonly method: string; readonly changes: string }>> = {
  tools: { method: "tools/list", changes: "tools" },
  resources: { method: "resources/list", changes: "resources" },
  resourceTemplates: { method: "resources/templates/list", changes: "resources" },
  prompts: { method: "prompts/list", changes: "prompts" },
};

const listKinds: readonly ListKind[] = ["tools", "resources", "resourceTemplates", "prompts"];
