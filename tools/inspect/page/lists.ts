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
  /** Returns a list. Reads it unless reading has begun. */
  read(protocol: string, list: ListKind): ListState;
  /** Reads a list again. */
  refresh(protocol: string, list: ListKind): void;
  /** Reads the lists of a kind again if they are known, because the server has changed them. Without a kind, reads all. */
  invalidate(protocol: string, kind?: string): void;
}

type Send = (protocol: string, method: string, params: JsonObject, options?: CallOptions) => Call;

/** A list, and how far it has been read. */
interface KnownList {
  readonly state: Signal<ListState>;
  /** Number of times it was read. */
  reads: number;
  isReading: boolean;
  /** True if it has changed while it was being read. */
  isChanged: boolean;
}

/** Creates the lists, which are read with the given function. */
export function createListStore(send: Send): ListStore {
  const lists = new Map<string, KnownList>();
  const load = (protocol: string, list: ListKind, known: KnownList): void => {
    known.reads += 1;
    const read = known.reads;
    Object.assign(known, { isReading: true, isChanged: false });
    void send(protocol, kinds[list].method, {}).outcome.then((outcome) => {
      // A later reading counts, also if it ends first.
      if (read !== known.reads) return;
      known.state.value = toState(outcome, list);
      known.isReading = false;
      if (known.isChanged) load(protocol, list, known);
    });
  };
  const find = (protocol: string, list: ListKind): KnownList => {
    const key = `${protocol} ${list}`;
    const found = lists.get(key);
    if (found) return found;
    const known = { state: signal<ListState>({ kind: "loading" }), reads: 0, isReading: true, isChanged: false };
    lists.set(key, known);
    // After the current render, which must not change what it reads.
    queueMicrotask(() => load(protocol, list, known));
    return known;
  };
  return {
    read: (protocol, list) => find(protocol, list).state.value,
    refresh: (protocol, list) => load(protocol, list, find(protocol, list)),
    invalidate(protocol, kind) {
      for (const list of listKinds) {
        const known = lists.get(`${protocol} ${list}`);
        if (!known || (kind !== undefined && kinds[list].changes !== kind)) continue;
        // A server may report thousands of changes a second: one reading follows the current one.
        if (known.isReading) known.isChanged = true;
        else load(protocol, list, known);
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
