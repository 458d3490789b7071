import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import type { SessionState } from "../page-messages.ts";
import { sendCommand } from "./commands.ts";
import { InputRequestList } from "./input-requests.tsx";
import { LogPanel } from "./panels/log.tsx";
import { PromptsPanel } from "./panels/prompts.tsx";
import { RawRequestPanel } from "./panels/raw-request.tsx";
import { ResourcesPanel } from "./panels/resources.tsx";
import { ServerPanel } from "./panels/server-panel.tsx";
import { filterTraffic, firstFilter } from "./messages/traffic.ts";
import type { Store, Tab } from "./store.ts";
import { TasksPanel } from "./panels/tasks.tsx";
import { Timeline } from "./messages/timeline.tsx";
import { ToolsPanel } from "./panels/tools.tsx";
import type { BuildProblem } from "./values/build-problem.ts";
import { textOf, visibleText } from "./values/values.ts";

/** The whole page. */
export function App({ store }: { readonly store: Store }): ComponentChild {
  const isWide = useMedia("(min-width: 1100px)");
  const state = store.state.value;
  const { protocol, other, tab } = store;
  useEffect(() => {
    for (const id of store.protocols.value)
      if (state?.sessions[id] === undefined) void sendCommand({ kind: "connect", protocol: id }).catch(() => {});
  }, [state === undefined, protocol.value, other.value]);
  useEffect(() => {
    const name = textOf(openSessionOf(store)?.serverInfo.name);
    if (name !== "") document.title = `${visibleText(name)} – MCP inspector`;
  });
  if (!state)
    return (
      <main class="start">
        <p role="status">{store.offline.value ?? "Connecting to the inspector…"}</p>
      </main>
    );
  const shown = isWide && tab.value === "messages" ? "tools" : tab.value;
  return (
    <>
      <header class="head">
        <Identity store={store} />
        <Tabs store={store} shown={shown} isWide={isWide} />
      </header>
      <Banners store={store} />
      <div class="columns">
        <main>
          <InputRequestList store={store} />
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${shown}`} key={`${protocol.value} ${other.value}`}>
            <Panel store={store} tab={shown} />
          </div>
        </main>
        {isWide && (
          <aside aria-label="Timeline">
            <Timeline store={store} />
          </aside>
        )}
      </div>
    </>
  );
}

function Panel({ store, tab }: { readonly store: Store; readonly tab: Tab }): ComponentChild {
  switch (tab) {
    case "tools":
      return <ToolsPanel store={store} />;
    case "resources":
      return <ResourcesPanel store={store} />;
    case "prompts":
      return <PromptsPanel store={store} />;
    case "tasks":
      return <TasksPanel store={store} />;
    case "log":
      return <LogPanel store={store} />;
    case "server":
      return <ServerPanel store={store} />;
    case "request":
      return <RawRequestPanel store={store} />;
    case "messages":
      return <Timeline store={store} />;
    default:
      return tab satisfies never;
  }
}

function Identity({ store }: { readonly store: Store }): ComponentChild {
  const { state, protocol, other } = store;
  const revisions = state.value?.revisions ?? [];
  const session = openSessionOf(store);
  const name = textOf(session?.serverInfo.name) || (state.value?.target ?? "");
  const version = textOf(session?.serverInfo.version);
  const problem = store.buildProblem.value;
  return (
    <div class="top">
      <div class="identity">
        <h1>{visibleText(name)}</h1>
        {version !== "" && <span class="tag">{visibleText(version)}</span>}
        {problem && <span class="badge bad">{buildTexts[problem.kind].badge}</span>}
      </div>
      <div class="selectors">
        <div class="selector">
          <label for="revision">Revision</label>
          <select
            id="revision"
            value={protocol.value}
            onChange={({ currentTarget }) => {
              protocol.value = currentTarget.value;
              if (other.value === currentTarget.value) other.value = "";
            }}
          >
            {revisions.map(({ id }) => (
              <option key={id} value={id}>
                {id}
                {id === state.value?.spoken ? " (server)" : ""}
              </option>
            ))}
          </select>
        </div>
        <div class="selector">
          <label for="compared">Compare with</label>
          <select
            id="compared"
            value={other.value}
            onChange={({ currentTarget }) => (other.value = currentTarget.value)}
          >
            <option value="">nothing</option>
            {revisions
              .filter(({ id }) => id !== protocol.value)
              .map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
          </select>
        </div>
      </div>
    </div>
  );
}

function Banners({ store }: { readonly store: Store }): ComponentChild {
  const { offline, protocols, state, buildProblem } = store;
  const problem = buildProblem.value;
  const closed = protocols.value.flatMap((id) => {
    const session = state.value?.sessions[id];
    return session?.kind === "closed" ? [{ id, reason: session.reason }] : [];
  });
  return (
    <div class="banners" aria-live="assertive">
      {offline.value !== undefined && <p class="banner bad">{offline.value}</p>}
      {problem !== undefined && (
        <p class="banner bad">
          <span>
            {buildTexts[problem.kind].banner} {visibleText(problem.text)}
          </span>
          <button type="button" class="quiet" onClick={() => (store.tab.value = "log")}>
            Show the log
          </button>
        </p>
      )}
      {closed.map(({ id, reason }) => (
        <p key={id} class="banner bad">
          <span>
            The session at {id} has ended: {visibleText(reason)}
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() => void sendCommand({ kind: "connect", protocol: id }).catch(() => {})}
          >
            Connect again
          </button>
        </p>
      ))}
    </div>
  );
}

/** Texts about the version in use, by the problem of the newest one. */
const buildTexts: Readonly<Record<BuildProblem["kind"], { readonly banner: string; readonly badge: string }>> = {
  kept: { banner: "The page goes on with the last good version. The newest one:", badge: "last good version" },
  failed: { banner: "The newest version:", badge: "failed" },
  ended: { banner: "No version is served:", badge: "not served" },
};

interface TabsProps {
  readonly store: Store;
  readonly shown: Tab;
  readonly isWide: boolean;
}

function Tabs({ store, shown, isWide }: TabsProps): ComponentChild {
  const tabs = labels.filter(([tab]) => tab !== "messages" || !isWide);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(([tab]) => tab === shown);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    store.tab.value = next[0];
    document.getElementById(`tab-${next[0]}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the server" onKeyDown={onKeyDown}>
      {tabs.map(([tab, label]) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === shown}
          aria-controls={tab === shown ? "panel" : undefined}
          tabIndex={tab === shown ? 0 : -1}
          onClick={() => (store.tab.value = tab)}
        >
          {label}
          <TabCount store={store} tab={tab} />
        </button>
      ))}
    </div>
  );
}

const labels: readonly (readonly [Tab, string])[] = [
  ["tools", "Tools"],
  ["resources", "Resources"],
  ["prompts", "Prompts"],
  ["tasks", "Tasks"],
  ["log", "Log"],
  ["request", "Request"],
  ["server", "Server"],
  ["messages", "Messages"],
];

function TabCount({ store, tab }: { readonly store: Store; readonly tab: Tab }): ComponentChild {
  store.entries.changes.value;
  if (tab === "log" && store.buildProblem.value !== undefined)
    return (
      <span class="badge bad" title={buildTexts[store.buildProblem.value.kind].badge}>
        !
      </span>
    );
  if (tab === "messages") return <span class="tab-count">{filterTraffic(store.entries.list, firstFilter).length}</span>;
  if (tab !== "tools" && tab !== "resources" && tab !== "prompts") return null;
  const list = store.lists.read(store.protocol.value, tab);
  return list.kind === "ready" ? <span class="tab-count">{list.items.length}</span> : null;
}

function openSessionOf({ state, protocol }: Store): Extract<SessionState, { readonly kind: "open" }> | undefined {
  const session = state.value?.sessions[protocol.value];
  return session?.kind === "open" ? session : undefined;
}

function useMedia(query: string): boolean {
  const matches = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => void (matches.value = list.matches);
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches.value;
}
