import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { JsonView } from "../values/json-view.tsx";
import { RequestStatus, useRequests } from "./requests.tsx";
import { JsonField } from "../forms/controls.tsx";
import type { Store } from "../store.ts";
import { isObject } from "../values/values.ts";

/** Any request of the selected revision, with params as JSON. */
export function RawRequestPanel({ store }: { readonly store: Store }): ComponentChild {
  const method = useSignal("tools/list");
  const params = useSignal<unknown>({});
  const requests = useRequests(store);
  const methods = store.state.value?.revisions.find(({ id }) => id === store.protocol.value)?.methods ?? [];
  const send = (event: Event): void => {
    event.preventDefault();
    requests.send(method.value, isObject(params.value) ? params.value : {}, { isRaw: true });
  };
  return (
    <section class="panel-body" aria-label="Request">
      <form onSubmit={send}>
        <div class="field">
          <label for="raw-method">Method</label>
          <select
            id="raw-method"
            value={method.value}
            onChange={({ currentTarget }) => (method.value = currentTarget.value)}
          >
            {methods
              .filter((name) => name !== "initialize")
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </div>
        <JsonField label="Params" rows={8} value={params.value} onChange={(next) => (params.value = next)} />
        <p class="hint">The client adds only the metadata that the revision requires.</p>
        <div class="actions">
          <button type="submit" class="primary">
            Send{store.other.value === "" ? "" : " at both"}
          </button>
        </div>
      </form>
      <RequestStatus requests={requests}>{({ result }) => <JsonView value={result} label="Result" />}</RequestStatus>
    </section>
  );
}
