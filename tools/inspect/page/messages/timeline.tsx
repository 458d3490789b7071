import { useComputed, useSignal } from "@preact/signals";
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChild, RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { TimelineEntry } from "../../page-messages.ts";
import { MessageDetails } from "./message-details.tsx";
import type { Store } from "../store.ts";
import { countHidden, filterTraffic, firstFilter, hasProblem, listMethods, type TrafficFilter } from "./traffic.ts";
import { sizeText, visibleText } from "../values/values.ts";

/** Messages in order: at first only the client's side, because most are the same on both sides of the gateway. */
export function Timeline({ store }: { readonly store: Store }): ComponentChild {
  const filter = useSignal(firstFilter);
  const shown = useComputed(() => {
    store.entries.changes.value;
    return filterTraffic(store.entries.list, filter.value);
  });
  const selected = store.selected.value;
  const entry = selected === undefined ? undefined : store.entries.list.find(({ sequence }) => sequence === selected);
  const dropped = store.entries.dropped;
  const hidden = countHidden(store.entries.list, filter.value);
  return (
    <section class={entry ? "timeline has-selection" : "timeline"} aria-label="Messages">
      <div class="timeline-list">
        <FilterBar
          store={store}
          filter={filter.value}
          count={shown.value.length}
          onChange={(next) => (filter.value = next)}
        />
        {dropped > 0 && <p class="notice">The {dropped} oldest messages were removed to save memory.</p>}
        {hidden > 0 && (
          <p class="notice">
            <button type="button" class="link" onClick={() => (filter.value = { ...filter.value, side: "" })}>
              Show the server side: {hidden} {hidden === 1 ? "message has a problem" : "messages have problems"} there
            </button>
          </p>
        )}
        {shown.value.length === 0 ? (
          <p class="placeholder">
            {store.entries.list.length === 0 ? "No messages so far." : "No message passes the filter."}
          </p>
        ) : (
          <Rows store={store} entries={shown.value} />
        )}
      </div>
      {entry && <MessageDetails key={entry.sequence} store={store} entry={entry} />}
    </section>
  );
}

interface FilterBarProps {
  readonly store: Store;
  readonly filter: TrafficFilter;
  readonly count: number;
  readonly onChange: (filter: TrafficFilter) => void;
}

function FilterBar({ store, filter, count, onChange }: FilterBarProps): ComponentChild {
  const set = (part: Partial<TrafficFilter>): void => onChange({ ...filter, ...part });
  const total = filterTraffic(store.entries.list, { ...firstFilter, side: filter.side }).length;
  return (
    <div class="filters" role="search" aria-label="Filter messages">
      <input
        type="search"
        aria-label="Text in messages"
        placeholder="Filter messages"
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <select
        aria-label="Method"
        value={filter.method}
        onChange={({ currentTarget }) => set({ method: currentTarget.value })}
      >
        <option value="">All methods</option>
        {listMethods(store.entries.list).map((method) => (
          <option key={method} value={method}>
            {visibleText(method.slice(0, 100))}
          </option>
        ))}
      </select>
      <select
        aria-label="Direction"
        value={filter.direction}
        onChange={({ currentTarget }) => set({ direction: readDirection(currentTarget.value) })}
      >
        <option value="">Both directions</option>
        <option value="to-server">To the server</option>
        <option value="to-client">To the client</option>
      </select>
      <select
        aria-label="Side"
        value={filter.side}
        onChange={({ currentTarget }) => set({ side: readSide(currentTarget.value) })}
      >
        <option value="">Both sides</option>
        <option value="client">Client side</option>
        <option value="server">Server side</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.onlyProblems}
          onChange={({ currentTarget }) => set({ onlyProblems: currentTarget.checked })}
        />
        Problems only
      </label>
      <span class="count" role="status">
        {count === total ? `${total} messages` : `${count} of ${total}`}
      </span>
    </div>
  );
}

function readDirection(value: string): TrafficFilter["direction"] {
  return value === "to-server" || value === "to-client" ? value : "";
}

function readSide(value: string): TrafficFilter["side"] {
  return value === "client" || value === "server" ? value : "";
}

interface RowsProps {
  readonly store: Store;
  readonly entries: readonly TimelineEntry[];
}

/** Height of a row in pixels, as in the style sheet. */
const rowHeight = 30;

function Rows({ store, entries }: RowsProps): ComponentChild {
  const list = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer(list, entries.length);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const { selected } = store;
  useEffect(() => {
    // New messages are followed until someone scrolls up.
    if (!isFollowing.current) return;
    virtualizer.scrollToIndex(entries.length - 1, { align: "end" });
    // Someone may scroll up before the event of this scroll: then there is one event for both.
    lastTop.current = list.current?.scrollTop ?? 0;
  }, [entries.length]);
  const current = entries.findIndex(({ sequence }) => sequence === selected.value);
  useEffect(() => {
    // The details take a part of the height.
    if (current !== -1) virtualizer.scrollToIndex(current);
  }, [selected.value]);
  const select = (index: number): void => {
    const at = Math.min(Math.max(index, 0), entries.length - 1);
    selected.value = entries[at]?.sequence;
    virtualizer.scrollToIndex(at);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = current === -1 ? entries.length : current;
    const target = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: from - 15,
      PageDown: from + 15,
      Home: 0,
      End: entries.length - 1,
    };
    const next = Object.entries(target).find(([key]) => key === event.key)?.[1];
    if (next === undefined) return;
    event.preventDefault();
    select(next);
  };
  const onScroll = (): void => {
    const element = list.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    if (scrollTop + clientHeight >= scrollHeight - rowHeight) isFollowing.current = true;
    // Messages may arrive between a scroll and its event: the end is further away then, although nobody has left it.
    else if (scrollTop < lastTop.current) isFollowing.current = false;
    lastTop.current = scrollTop;
  };
  return (
    <div
      ref={list}
      class="rows"
      role="listbox"
      aria-label="Messages in order"
      tabIndex={0}
      aria-activedescendant={current === -1 ? undefined : `message-${selected.value}`}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div class="rows-space" role="presentation" ref={(space) => place(space, { height: virtualizer.getTotalSize() })}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const entry = entries[index];
          if (!entry) return null;
          const isSelected = entry.sequence === selected.value;
          return (
            <div
              key={entry.sequence}
              id={`message-${entry.sequence}`}
              class={`row ${entry.side} ${hasProblem(entry) ? "has-problem" : ""}`}
              role="option"
              aria-selected={isSelected}
              aria-posinset={index + 1}
              aria-setsize={entries.length}
              ref={(row) => place(row, { top: start })}
              onClick={() => (selected.value = isSelected ? undefined : entry.sequence)}
            >
              <Row entry={entry} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Places an element. The policy of the page forbids style attributes, but not this. */
function place(
  element: HTMLElement | null,
  { height, top }: { readonly height?: number; readonly top?: number },
): void {
  if (!element) return;
  if (height !== undefined) element.style.height = `${height}px`;
  if (top !== undefined) element.style.transform = `translateY(${top}px)`;
}

function Row({ entry }: { readonly entry: TimelineEntry }): ComponentChild {
  const { direction, method, subject, kind, protocol, json, length, problem, losses, isFailure, side, time } = entry;
  const isToServer = direction === "to-server";
  return (
    <>
      <time>{timeText(time)}</time>
      <span
        class={`arrow ${isToServer ? "out" : "in"}`}
        role="img"
        aria-label={isToServer ? "to the server" : "to the client"}
      >
        {isToServer ? "→" : "←"}
      </span>
      <span class="side">{side}</span>
      <span class="row-name">
        {kind !== "request" && kind !== "notification" && <span class={`kind ${kind}`}>{kind}</span>}
        <span class="method">{visibleText(method ?? "")}</span>
        {subject !== undefined && <span class="subject">{visibleText(subject)}</span>}
      </span>
      <span class="marks">
        {problem && <span class="badge bad">schema</span>}
        {losses && <span class="badge warn">{losses.length} lost</span>}
        {isFailure && <span class="badge bad">failed</span>}
        {protocol !== undefined && <span class="tag">{protocol}</span>}
        <span class="size">{sizeText(length ?? json.length)}</span>
      </span>
    </>
  );
}

/** Formats a time with milliseconds. */
export function timeText(time: number): string {
  const date = new Date(time);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0"));
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Returns the virtualizer of a list of rows of the same height: only rows in view are elements. */
function useVirtualizer(
  list: RefObject<HTMLDivElement | null>,
  count: number,
): Virtualizer<HTMLDivElement, HTMLDivElement> {
  const [, render] = useReducer<number, undefined>((changes) => changes + 1, 0);
  const options = {
    count,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
