import { revisions } from "../../../../generated/revisions.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { runServer } from "../../../../runtime/server/run/run-server.ts";
import { MemoryTaskStore } from "../../../../runtime/stores/memory-task-store.ts";
import type { TaskChange, TaskKey, TaskRecord } from "../../../../runtime/stores/task-store.ts";

/** A store that prints the records that it changes, as a database would keep them. */
class PrintingTaskStore extends MemoryTaskStore {
  override change(key: TaskKey, change: TaskChange, attempt?: number): TaskRecord | undefined {
    const record = super.change(key, change, attempt);
    console.error(JSON.stringify({ status: record?.status, statusMessage: record?.statusMessage }));
    return record;
  }
}

/** A program whose tool runs as a task, until its signal is aborted or the given milliseconds have passed. */
const server = createServer(
  {
    name: "fixture",
    version: "1",
    tools: [
      {
        name: "work",
        task: true,
        execute: (_args, { signal }) =>
          new Promise<string>((resolve) => {
            console.error("begun");
            const timer = setTimeout(() => resolve("done"), Number(process.env.WORK));
            signal.addEventListener("abort", () => (clearTimeout(timer), resolve("aborted")));
          }),
      },
    ],
    tasks: { store: new PrintingTaskStore() },
  },
  revisions,
);

await runServer(server, { closeTimeout: 1_000 });
