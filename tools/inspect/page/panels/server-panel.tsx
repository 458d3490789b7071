import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { sendCommand } from "../commands.ts";
import { JsonView } from "../values/json-view.tsx";
import type { Store } from "../store.ts";
import { textOf, visibleText } from "../values/values.ts";

/** Info and capabilities of the server, its instructions, and the roots of the client. */
export function ServerPanel({ store }: { readonly store: Store }): ComponentChild {
  const state = store.state.value;
  if (!state) return null;
  const session = state.sessions[store.protocol.value];
  return (
    <section class="panel-body" aria-label="Server">
      {session?.kind === "open" && (
        <>
          <h2>{visibleText(textOf(session.serverInfo.title) || textOf(session.serverInfo.name))}</h2>
          <dl class="facts">
            <dt>Started with</dt>
            <dd>
              <code>{visibleText(state.target)}</code>
            </dd>
            <dt>Revision of the server</dt>
            <dd>
              {state.spoken}
              {state.spoken !== store.protocol.value && `, converted to ${store.protocol.value}`}
            </dd>
          </dl>
          {session.instructions !== undefined && (
            <>
              <h3>Instructions</h3>
              <pre class="text" tabIndex={0} role="group" aria-label="Instructions">
                {visibleText(session.instructions)}
              </pre>
            </>
          )}
          <h3>Capabilities</h3>
          <JsonView value={session.capabilities} label="Capabilities of the server" />
          <h3>Implementation</h3>
          <JsonView value={session.serverInfo} label="Implementation of the server" />
        </>
      )}
      <Roots roots={state.roots} />
      <div class="actions">
        <button
          type="button"
          class="quiet"
          onClick={() => void sendCommand({ kind: "disconnect", protocol: store.protocol.value }).catch(() => {})}
        >
          End the session
        </button>
      </div>
    </section>
  );
}

function Roots({ roots }: { readonly roots: readonly string[] }): ComponentChild {
  const text = useSignal(roots.join("\n"));
  const note = useSignal("");
  const save = (event: Event): void => {
    event.preventDefault();
    const uris = text.value
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    sendCommand({ kind: "roots", roots: uris }).then(
      () => (note.value = "The roots are set, and the server was notified."),
      (error: Error) => (note.value = error.message),
    );
  };
  return (
    <form onSubmit={save}>
      <h3>Roots of the client</h3>
      <div class="field">
        <label for="roots">URIs that begin with file://, one on each line</label>
        <textarea
          id="roots"
          class="code"
          rows={3}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </div>
      <div class="actions">
        <button type="submit" class="quiet">
          Set roots
        </button>
        <span role="status">{visibleText(note.value)}</span>
      </div>
    </form>
  );
}
