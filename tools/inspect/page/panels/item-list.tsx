import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { ComparisonView } from "../values/comparison-view.tsx";
import { isSameValue } from "../values/comparison.ts";
import type { ListKind, ListState } from "../lists.ts";
import type { Store } from "../store.ts";
import { textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Item of a list, at the selected revision and at the one compared with it. */
export interface Item {
  readonly key: string;
  readonly kind: ListKind;
  readonly at: readonly (JsonObject | undefined)[];
  /** True for each revision whose list is known: there a missing item is not listed. */
  readonly isKnown: readonly boolean[];
}

interface ItemListProps {
  readonly store: Store;
  readonly kinds: readonly ListKind[];
  /** Name of the items, in the plural. */
  readonly label: string;
  /** Shows one item. */
  readonly children: (item: Item, definition: JsonObject) => ComponentChild;
}

/** Lists of a server with their details. */
export function ItemList({ store, kinds, label, children }: ItemListProps): ComponentChild {
  const selected = store.picked.value[label];
  const select = (key: string): void => void (store.picked.value = { ...store.picked.value, [label]: key });
  const filter = useSignal("");
  const states = store.protocols.value.map((protocol) => kinds.map((kind) => store.lists.read(protocol, kind)));
  const items = kinds.flatMap((kind, at) =>
    mergeItems(
      kind,
      states.map((lists) => lists[at]),
    ),
  );
  const words = filter.value.toLowerCase().split(/\s/).filter(Boolean);
  const shown = items.filter((item) => matches(item, words));
  const current = items.find(({ key }) => key === selected);
  const definition = current?.at.find((one) => one !== undefined);
  const refresh = (): void => {
    for (const protocol of store.protocols.value) for (const kind of kinds) store.lists.refresh(protocol, kind);
  };
  return (
    <div class={current ? "split has-item" : "split"}>
      <section class="items" aria-label={label}>
        <div class="items-head">
          <input
            type="search"
            placeholder={`Filter ${label.toLowerCase()}`}
            aria-label={`Filter ${label.toLowerCase()}`}
            value={filter.value}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
          <button type="button" class="quiet" onClick={refresh}>
            Reload
          </button>
        </div>
        <ListProblems states={states.flat()} label={label} count={items.length} />
        <ul>
          {shown.slice(0, mostItems).map((item) => (
            <li key={item.key}>
              <button
                type="button"
                class="item"
                aria-current={item.key === selected ? "true" : undefined}
                onClick={() => select(item.key)}
              >
                <ItemLabel item={item} protocols={store.protocols.value} />
              </button>
            </li>
          ))}
        </ul>
        {shown.length > mostItems && <p class="muted">{shown.length - mostItems} more; use the filter.</p>}
      </section>
      <section class="item-details" aria-label="Details">
        {current && definition ? (
          <>
            <button type="button" class="back quiet" onClick={() => select("")}>
              Back to the list
            </button>
            <ItemDifferences item={current} protocols={store.protocols.value} />
            <div key={current.key}>{children(current, definition)}</div>
          </>
        ) : (
          <p class="placeholder">Select one of the {label.toLowerCase()}.</p>
        )}
      </section>
    </div>
  );
}

/** Number of items of a list shown at once. */
const mostItems = 500;

function mergeItems(kind: ListKind, states: readonly (ListState | undefined)[]): readonly Item[] {
  const lists = states.map((state) => (state?.kind === "ready" ? state.items : []));
  const isKnown = states.map((state) => state?.kind === "ready" || state?.kind === "missing");
  const keys = new Set(lists.flatMap((list) => list.map(keyOf)));
  const found = lists.map((list) => new Map(list.map((item) => [keyOf(item), item])));
  return [...keys].map((key) => ({ key: `${kind} ${key}`, kind, at: found.map((list) => list.get(key)), isKnown }));
}

function keyOf(item: JsonObject): string {
  return textOf(item.uri) || textOf(item.uriTemplate) || textOf(item.name);
}

function matches({ at }: Item, words: readonly string[]): boolean {
  const text = at
    .flatMap((item) => [item?.name, item?.title, item?.uri, item?.uriTemplate, item?.description])
    .map(textOf)
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

interface ListProblemsProps {
  readonly states: readonly ListState[];
  readonly label: string;
  readonly count: number;
}

function ListProblems({ states, label, count }: ListProblemsProps): ComponentChild {
  const failures = states.flatMap((state) => (state.kind === "failed" ? [state.message] : []));
  if (failures.length > 0)
    return (
      <div role="alert">
        {failures.map((message) => (
          <p key={message} class="issue">
            {visibleText(message)}
          </p>
        ))}
      </div>
    );
  if (states.some(({ kind }) => kind === "loading"))
    return (
      <p class="muted" role="status">
        Loading…
      </p>
    );
  const isMissing = states.every(({ kind }) => kind === "missing");
  if (isMissing) return <p class="muted">The server does not declare {label.toLowerCase()}.</p>;
  return count === 0 ? <p class="muted">The server lists no {label.toLowerCase()}.</p> : null;
}

interface ItemLabelProps {
  readonly item: Item;
  readonly protocols: readonly string[];
}

function ItemLabel({ item: { at, kind, isKnown }, protocols }: ItemLabelProps): ComponentChild {
  const item = at.find((one) => one !== undefined) ?? {};
  const uri = textOf(item.uri) || textOf(item.uriTemplate);
  const name = textOf(item.name) || uri;
  const missing = protocols.filter((_, index) => isKnown[index] === true && at[index] === undefined);
  const differs = at.length > 1 && at.every((one) => one !== undefined) && !isSameValue(at[0], at[1]);
  return (
    <>
      <span class="item-name">{visibleText(name)}</span>
      {uri !== "" && <span class="item-uri">{visibleText(uri)}</span>}
      {uri === "" && <span class="item-about">{visibleText(textOf(item.title) || textOf(item.description))}</span>}
      {kind === "resourceTemplates" && <span class="tag">template</span>}
      {missing.map((protocol) => (
        <span key={protocol} class="badge warn">
          not at {protocol}
        </span>
      ))}
      {differs && <span class="badge warn">differs</span>}
    </>
  );
}

function ItemDifferences({ item: { at, isKnown }, protocols }: ItemLabelProps): ComponentChild {
  const [left = "", right] = protocols;
  if (right === undefined || isKnown.includes(false)) return null;
  const isSame = isSameValue(at[0], at[1]);
  if (isSame)
    return (
      <p class="ok">
        Definition at {left} and {right}: the same
      </p>
    );
  return (
    <details class="definition" key={`${left} ${right}`} open>
      <summary>
        Definition at {left} and {right}: different
      </summary>
      <ComparisonView left={{ title: left, value: at[0] }} right={{ title: right, value: at[1] }} />
    </details>
  );
}
