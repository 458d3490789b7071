import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { ToolResult } from "../values/content.tsx";
import { JsonView } from "../values/json-view.tsx";
import { RequestStatus, useRequests } from "./requests.tsx";
import type { Store } from "../store.ts";
import { isObject, parseJson, textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Tasks of the server at the selected revision, as the messages on the timeline show them. */
export function TasksPanel({ store }: { readonly store: Store }): ComponentChild {
  store.entries.changes.value;
  const protocol = store.protocol.value;
  const tasks = findTasks(store, protocol);
  const list = useRequests(store);
  const canList = store.state.value?.revisions.find(({ id }) => id === protocol)?.methods.includes("tasks/list");
  return (
    <section class="panel-body" aria-label="Tasks">
      <div class="actions">
        {canList && (
          <button type="button" class="quiet" onClick={() => list.send("tasks/list", {})}>
            List tasks
          </button>
        )}
      </div>
      <RequestStatus requests={list}>
        {({ result }) => <JsonView value={result} label="Tasks of the server" />}
      </RequestStatus>
      {tasks.length === 0 && (
        <p class="placeholder">No task so far. Call a tool as a task, or a tool that runs as one.</p>
      )}
      {tasks.map((task) => (
        <TaskDetails key={textOf(task.taskId)} store={store} task={task} />
      ))}
    </section>
  );
}

function TaskDetails({ store, task }: { readonly store: Store; readonly task: JsonObject }): ComponentChild {
  const requests = useRequests(store);
  const isOpen = useSignal(false);
  const taskId = textOf(task.taskId);
  const status = textOf(task.status);
  const isFinal = ["completed", "failed", "cancelled"].includes(status);
  return (
    <article class="card">
      <h2>
        <code>{visibleText(taskId)}</code>{" "}
        <span class={status === "failed" ? "badge bad" : isFinal ? "badge good" : "badge"}>{visibleText(status)}</span>
      </h2>
      {textOf(task.statusMessage) !== "" && <p class="about">{visibleText(textOf(task.statusMessage))}</p>}
      <div class="actions">
        <button type="button" class="quiet" onClick={() => requests.send("tasks/get", { taskId })}>
          Get status
        </button>
        <button type="button" class="quiet" onClick={() => requests.send("tasks/result", { taskId })}>
          Get result
        </button>
        {!isFinal && (
          <button type="button" class="quiet" onClick={() => requests.send("tasks/cancel", { taskId })}>
            Cancel task
          </button>
        )}
      </div>
      <RequestStatus requests={requests}>{({ result }) => <ToolResult result={result} />}</RequestStatus>
      <details class="definition" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>Last known state</summary>
        {isOpen.value && <JsonView value={task} label="State of the task" />}
      </details>
    </article>
  );
}

/** Returns the latest state of every task in the messages of a revision, newest task first. */
function findTasks({ entries }: Store, protocol: string): readonly JsonObject[] {
  const tasks = new Map<string, JsonObject>();
  for (const { side, direction, protocol: spoken, json } of entries.list) {
    if (side !== "client" || direction !== "to-client" || spoken !== protocol || !json.includes('"taskId"')) continue;
    const parsed = parseJson(json);
    if ("value" in parsed) collectTasks(parsed.value, tasks);
  }
  return [...tasks.values()].reverse();
}

function collectTasks(value: unknown, tasks: Map<string, JsonObject>): void {
  const message = isObject(value) ? value : {};
  for (const part of [message.result, message.params]) {
    if (!isObject(part)) continue;
    const candidates = [part, part.task, ...(Array.isArray(part.tasks) ? part.tasks : [])];
    for (const task of candidates)
      if (isObject(task) && typeof task.taskId === "string" && typeof task.status === "string")
        tasks.set(task.taskId, { ...tasks.get(task.taskId), ...task });
  }
}
