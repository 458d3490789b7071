import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { AppFrame } from "./app-frame.tsx";
import { ToolResult } from "../values/content.tsx";
import { ItemList } from "./item-list.tsx";
import { JsonView } from "../values/json-view.tsx";
import { RequestStatus, useRequests } from "./requests.tsx";
import { ValueEditor } from "../forms/schema-form.tsx";
import { checkValue, initialValue } from "../forms/schema.ts";
import type { Store } from "../store.ts";
import { isObject, memberOf, textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Tools of the server, with a form for their arguments. */
export function ToolsPanel({ store }: { readonly store: Store }): ComponentChild {
  return (
    <ItemList store={store} kinds={["tools"]} label="Tools">
      {(_item, tool) => <ToolDetails store={store} tool={tool} />}
    </ItemList>
  );
}

function ToolDetails({ store, tool }: { readonly store: Store; readonly tool: JsonObject }): ComponentChild {
  const { inputSchema, outputSchema, annotations } = tool;
  const name = textOf(tool.name);
  const args = useSignal<unknown>(initialValue(inputSchema, inputSchema) ?? {});
  const isTask = useSignal(false);
  const requests = useRequests(store);
  const issues = checkValue(inputSchema, args.value);
  const view = readViewUri(tool);
  const call = (event: Event): void => {
    event.preventDefault();
    requests.send("tools/call", { name, arguments: args.value, ...(isTask.value && { task: {} }) });
  };
  return (
    <article>
      <ItemHead item={tool} name={name} />
      {isObject(annotations) && <Annotations annotations={annotations} />}
      <form onSubmit={call}>
        <ValueEditor
          label="Arguments"
          schema={inputSchema}
          value={args.value}
          onChange={(next) => (args.value = next)}
        />
        {issues.length > 0 && (
          <details class="issues">
            <summary class="warn">
              The arguments do not fit the schema ({issues.length}). They can be sent nevertheless.
            </summary>
            <ul>
              {issues.slice(0, 20).map(({ path, message }, at) => (
                <li key={at}>
                  {path !== "" && <code>{visibleText(path)}</code>} {visibleText(message)}
                </li>
              ))}
            </ul>
          </details>
        )}
        <div class="actions">
          <button type="submit" class="primary">
            Call{store.other.value === "" ? "" : " at both"}
          </button>
          {hasTasks(store, tool) && (
            <label class="check">
              <input
                type="checkbox"
                checked={isTask.value}
                onChange={({ currentTarget }) => (isTask.value = currentTarget.checked)}
              />
              as a task
            </label>
          )}
        </div>
      </form>
      <RequestStatus requests={requests}>
        {({ result, params, protocol }) => (
          <>
            <ToolResult result={result} />
            {view !== "" && (
              <AppFrame
                store={store}
                protocol={protocol}
                uri={view}
                input={memberOf(params, "arguments")}
                result={result}
              />
            )}
          </>
        )}
      </RequestStatus>
      <details class="definition">
        <summary>Definition</summary>
        <JsonView value={tool} label="Definition of the tool" />
      </details>
      {outputSchema !== undefined && <p class="muted">The tool declares a schema of its structured content.</p>}
    </article>
  );
}

/** Title, name and description of an item. */
export function ItemHead({ item, name }: { readonly item: JsonObject; readonly name: string }): ComponentChild {
  const title = textOf(item.title);
  const description = textOf(item.description);
  return (
    <header class="item-head">
      <h2>{visibleText(title || name)}</h2>
      {title !== "" && title !== name && <code>{visibleText(name)}</code>}
      {description !== "" && <p class="about">{visibleText(description)}</p>}
    </header>
  );
}

function Annotations({ annotations }: { readonly annotations: JsonObject }): ComponentChild {
  const hints = Object.entries(annotations).filter(([, value]) => typeof value === "boolean");
  if (hints.length === 0) return null;
  return (
    <p class="tags">
      {hints.map(([name, value]) => (
        <span key={name} class="tag">
          {visibleText(name.replace(/Hint$/, ""))}: {String(value)}
        </span>
      ))}
    </p>
  );
}

/** True if a client may request a task for the call. */
function hasTasks({ state, protocol }: Store, tool: JsonObject): boolean {
  const session = state.value?.sessions[protocol.value];
  const support = memberOf(tool, "execution", "taskSupport");
  const declared = session?.kind === "open" && memberOf(session.capabilities, "tasks", "requests", "tools", "call");
  return isObject(declared) && (support === "optional" || support === "required");
}

/** Returns the URI of the view of a tool; empty if it has none. */
function readViewUri(tool: JsonObject): string {
  return textOf(memberOf(tool, "_meta", "ui", "resourceUri")) || textOf(memberOf(tool, "_meta", "ui/resourceUri"));
}
