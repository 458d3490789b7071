import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useMemo } from "preact/hooks";
import type { TimelineEntry } from "../../page-messages.ts";
import { ComparisonView } from "../values/comparison-view.tsx";
import { isSameValue } from "../values/comparison.ts";
import { JsonView } from "../values/json-view.tsx";
import type { Store } from "../store.ts";
import { timeText } from "./timeline.tsx";
import { findCounterpart, findPartner } from "./traffic.ts";
import { toTranscriptTest } from "./transcript.ts";
import { formatJson, memberOf, parseJson, visibleText } from "../values/values.ts";

interface MessageDetailsProps {
  readonly store: Store;
  readonly entry: TimelineEntry;
}

/** One message: its check, what a conversion lost, and the message on the other side of the gateway. */
export function MessageDetails({ store, entry }: MessageDetailsProps): ComponentChild {
  const { entries, selected } = store;
  entries.changes.value;
  const parsed = useMemo(() => parseJson(entry.json), [entry]);
  const partner = findPartner(entries.list, entry);
  const counterpart = findCounterpart(entries.list, entry);
  const test = toTranscriptTest(entries.list, entry);
  return (
    <section class="message-details" aria-label={`Message ${entry.sequence}`}>
      <header>
        <h2>
          {entry.kind} {entry.method !== undefined && <code>{visibleText(entry.method)}</code>}
        </h2>
        <button type="button" class="quiet" onClick={() => (selected.value = undefined)}>
          Close
        </button>
      </header>
      <p class="tags">
        <span class="tag">#{entry.sequence}</span>
        <span class="tag">{timeText(entry.time)}</span>
        <span class="tag">{entry.direction === "to-server" ? "to the server" : "to the client"}</span>
        <span class="tag">{visibleText(entry.connection)}</span>
        {entry.protocol !== undefined && <span class="tag">{entry.protocol}</span>}
      </p>
      <SchemaCheck entry={entry} />
      <Losses entry={entry} />
      <div class="actions">
        {partner && (
          <button type="button" class="quiet" onClick={() => (selected.value = partner.sequence)}>
            Go to the {entry.kind === "request" ? "response" : "request"} (#{partner.sequence})
          </button>
        )}
        {counterpart && (
          <button type="button" class="quiet" onClick={() => (selected.value = counterpart.sequence)}>
            Go to the {counterpart.side} side (#{counterpart.sequence})
          </button>
        )}
        <CopyButton label="Copy JSON" text={"value" in parsed ? formatJson(parsed.value) : entry.json} />
        {test !== undefined && <CopyButton label="Copy as test" text={test} />}
      </div>
      {"value" in parsed ? (
        <JsonView value={parsed.value} label="Message" />
      ) : (
        <pre class="text" tabIndex={0} role="group" aria-label="Message">
          {visibleText(entry.json.slice(0, 100_000))}
        </pre>
      )}
      {counterpart && <Conversion entry={entry} counterpart={counterpart} />}
    </section>
  );
}

function SchemaCheck({ entry: { problem, protocol } }: { readonly entry: TimelineEntry }): ComponentChild {
  const revision = protocol === undefined ? "the protocol" : `revision ${protocol}`;
  if (!problem) return <p class="ok">Fits the schema of {revision}.</p>;
  return (
    <p class="issue">
      Does not fit the schema of {revision}: {problem.path !== "" && <code>{visibleText(problem.path)}</code>}{" "}
      {visibleText(problem.message)}
    </p>
  );
}

function Losses({ entry: { losses } }: { readonly entry: TimelineEntry }): ComponentChild {
  if (!losses) return null;
  return (
    <div class="losses">
      <p class="warn">Lost in the conversion to the older revision:</p>
      <ul>
        {losses.slice(0, 200).map(({ path, reason }, at) => (
          <li key={at}>
            <code>{visibleText(path)}</code>: {visibleText(reason)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Conversion({
  entry,
  counterpart,
}: {
  readonly entry: TimelineEntry;
  readonly counterpart: TimelineEntry;
}): ComponentChild {
  const [client, server] = entry.side === "client" ? [entry, counterpart] : [counterpart, entry];
  // Once: every further message renders the details again.
  const left = useMemo(() => payloadOf(client), [client]);
  const right = useMemo(() => payloadOf(server), [server]);
  const isSame = useMemo(() => isSameValue(left, right), [left, right]);
  if (isSame) return <p class="ok">Passed on unchanged to the other side of the gateway.</p>;
  return (
    <details class="definition" open>
      <summary>Converted between the two sides</summary>
      <ComparisonView
        left={{ title: `client side ${client.protocol ?? ""}`, value: left }}
        right={{ title: `server side ${server.protocol ?? ""}`, value: right }}
      />
    </details>
  );
}

/** Returns the converted part of a message. */
function payloadOf({ json }: TimelineEntry): unknown {
  const parsed = parseJson(json);
  if (!("value" in parsed)) return json;
  const { value } = parsed;
  return memberOf(value, "params") ?? memberOf(value, "result") ?? memberOf(value, "error");
}

function CopyButton({ label, text }: { readonly label: string; readonly text: string }): ComponentChild {
  const note = useSignal("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      note.value = "Copied";
    } catch {
      note.value = "The browser did not allow it";
    }
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {note.value === "" ? label : <span role="status">{note.value}</span>}
    </button>
  );
}
