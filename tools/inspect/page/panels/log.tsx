import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { RequestStatus, useRequests } from "./requests.tsx";
import type { Store } from "../store.ts";
import { formatJson, isObject, memberOf, parseJson, textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Log messages of the server, and its output on stderr. */
export function LogPanel({ store }: { readonly store: Store }): ComponentChild {
  store.entries.changes.value;
  const requests = useRequests(store);
  const level = useSignal("debug");
  const messages = findLogMessages(store);
  const output = store.output.value;
  return (
    <section class="panel-body" aria-label="Log">
      <div class="actions">
        <div class="inline">
          <label for="level">Least severe level</label>
          <select id="level" value={level.value} onChange={({ currentTarget }) => (level.value = currentTarget.value)}>
            {levels.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <button type="button" class="quiet" onClick={() => requests.send("logging/setLevel", { level: level.value })}>
          Set level
        </button>
      </div>
      <RequestStatus requests={requests}>{() => <p class="ok">The level is set.</p>}</RequestStatus>
      <h2>Messages</h2>
      {messages.length === 0 && (
        <p class="placeholder">
          {isLogging(store) ? "No messages so far." : "The server does not declare log messages at this revision."}
        </p>
      )}
      <ol class="log">
        {messages.map(({ sequence, time, params }) => (
          <li key={sequence}>
            <time>{new Date(time).toLocaleTimeString()}</time>
            <span class={`badge ${severities[textOf(params.level)] ?? ""}`}>{visibleText(textOf(params.level))}</span>
            {textOf(params.logger) !== "" && <span class="tag">{visibleText(textOf(params.logger))}</span>}
            <span class="log-data">{visibleText(dataText(params.data))}</span>
          </li>
        ))}
      </ol>
      <h2>Output on stderr</h2>
      {output === "" ? (
        <p class="placeholder">Nothing so far. Only a server that is started here has output.</p>
      ) : (
        <pre class="text" tabIndex={0} role="group" aria-label="Output on stderr">
          {visibleText(output.replace(colors, ""))}
        </pre>
      )}
    </section>
  );
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

const severities: Readonly<Record<string, string>> = {
  warning: "warn",
  error: "bad",
  critical: "bad",
  alert: "bad",
  emergency: "bad",
};

/** Colors of terminals, each after a control character. */
const colors = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

/** True if a server may send log messages at one of the selected revisions. */
function isLogging({ state, protocols }: Store): boolean {
  return protocols.value.some((id) => {
    const session = state.value?.sessions[id];
    return session?.kind !== "open" || memberOf(session.capabilities, "logging") !== undefined;
  });
}

interface LogMessage {
  readonly sequence: number;
  readonly time: number;
  readonly params: JsonObject;
}

/** Returns the latest log messages at the selected revisions, newest first. */
function findLogMessages({ entries, protocols }: Store): readonly LogMessage[] {
  const found: LogMessage[] = [];
  for (let at = entries.list.length - 1; at >= 0 && found.length < mostMessages; at -= 1) {
    const entry = entries.list[at];
    if (entry?.method !== "notifications/message" || entry.side !== "client") continue;
    if (!protocols.value.includes(entry.protocol ?? "")) continue;
    const parsed = parseJson(entry.json);
    const params = "value" in parsed ? memberOf(parsed.value, "params") : undefined;
    if (isObject(params)) found.push({ sequence: entry.sequence, time: entry.time, params });
  }
  return found;
}

const mostMessages = 500;

function dataText(data: unknown): string {
  return typeof data === "string" ? data : formatJson(data);
}
