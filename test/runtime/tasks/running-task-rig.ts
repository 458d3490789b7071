import { expect } from "vitest";
import type { RequestRow } from "../../../generated/support.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import type { CallContext } from "../../../runtime/protocol/session/call-context.ts";
import { createStoredCall } from "../../../runtime/server/tasks/tool-tasks.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskKey, TaskRecord } from "../../../runtime/stores/task-store.ts";
import { StoredInputRequests } from "../../../runtime/tasks/requestor-channel.ts";
import { RunningTask } from "../../../runtime/tasks/running-task.ts";
import type { LeasedTaskStore } from "../../../runtime/tasks/shared-tasks.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { newest } from "../../kit/revisions.ts";
import { findTask } from "./task-wire.ts";

export const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
export const accept = { action: "accept", content: {} };
export const elicit: RequestRow = findRow(newest.serverRequests, "elicit") ?? expect.unreachable();

interface RigOptions {
  readonly id?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly pollInterval?: number;
  /** Attempt at the task, if other nodes may take it over. */
  readonly attempt?: number;
  /** Aborted when the server closes. */
  readonly closing?: AbortSignal;
}

/** A task whose record is kept in memory, and whose input requests are kept in the record. */
export class Rig {
  readonly clock = new ManualClock();
  readonly store: LeasedTaskStore = new MemoryTaskStore({ clock: this.clock });
  readonly record: TaskRecord;
  readonly key: TaskKey;
  /** Status of each change as notified to the requestor. */
  readonly notified: string[] = [];
  /** Status of each change, of which other nodes receive a message. */
  readonly changed: string[] = [];
  readonly channel: StoredInputRequests = new StoredInputRequests({
    check: () => undefined,
    notifyStatus: ({ status }) => void this.notified.push(status),
  });
  readonly task: RunningTask;
  readonly call: CallContext;

  private constructor(options: RigOptions) {
    const { id = "a", capabilities = { elicitation: {} }, pollInterval = 1_000, attempt, closing } = options;
    const time = "2026-01-01T00:00:00Z";
    this.key = { id, owner: "ada" };
    this.record = {
      ...{ ...this.key, status: "working", createdAt: time, updatedAt: time, ttl: null, pollInterval },
      ...(attempt !== undefined && { attempt, lease: 1_000 }),
    };
    const client = { info: undefined, capabilities };
    const retry = { revision: newest.id, params: {}, client };
    this.call = createStoredCall(id, retry, { revision: newest });
    const { store, clock, channel } = this;
    this.task = new RunningTask(this.key, this.call, {
      ...{ store, clock, channel, pollInterval },
      attempt,
      closing,
      changed: ({ status }) => void this.changed.push(status),
    });
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const rig = new Rig(options);
    await rig.store.add(rig.record);
    return rig;
  }

  get stored(): Promise<TaskRecord | undefined> {
    return findTask(this.store, this.key);
  }

  /** Lets an operation of the store wait until the returned function is called. */
  hold(name: "change" | "find"): () => void {
    const { opened, open } = createGate();
    const operation = this.store[name].bind(this.store);
    const held = async (...given: unknown[]) => (await opened, Reflect.apply(operation, this.store, given));
    Object.assign(this.store, { [name]: held });
    return open;
  }

  /** Lets changes of the record fail with the next of these errors. Returns the number of changes since then. */
  fail(...errors: readonly Error[]): () => number {
    const change = this.store.change.bind(this.store);
    let changes = 0;
    this.store.change = (...given) => {
      const error = errors[changes];
      changes += 1;
      return error ? Promise.reject(error) : change(...given);
    };
    return () => changes;
  }

  /** Lets another node take the task over. */
  async takeOver(): Promise<void> {
    await this.clock.pass(1_000);
    await this.store.takeOver("next", 1);
  }
}
