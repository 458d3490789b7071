import type { RedisCommands } from "./commands.ts";
import { toTexts } from "./replies.ts";
import { addLease, removeLeases, renewLeases, takeLeases } from "./scripts/task-leases.ts";

/** Leases of the tasks of all owners. Tasks have the names of their keys. */
export class RedisTaskLeases {
  readonly #commands: RedisCommands;
  readonly #keys: readonly [string, string];

  constructor(commands: RedisCommands, keys: readonly [string, string]) {
    this.#commands = commands;
    this.#keys = keys;
  }

  async add(task: string, node: string, milliseconds: number): Promise<void> {
    await this.#commands.runDurably(addLease, this.#keys, [node, toArgument(milliseconds), task]);
  }

  /** Renews leases of a node. Returns the tasks it does not run. */
  async renew(tasks: readonly string[], node: string, milliseconds: number): Promise<readonly string[]> {
    if (tasks.length === 0) return [];
    const args = [node, toArgument(milliseconds), ...tasks];
    return toTexts(await this.#commands.runDurably(renewLeases, this.#keys, args));
  }

  /** Gives a node the tasks whose lease is over. */
  async take(node: string, limit: number): Promise<readonly string[]> {
    const args = [node, toArgument(limit), toArgument(firstLease)];
    return toTexts(await this.#commands.runDurably(takeLeases, this.#keys, args));
  }

  async remove(tasks: readonly string[]): Promise<void> {
    if (tasks.length > 0) await this.#commands.run(removeLeases, this.#keys, tasks);
  }
}

/** Milliseconds for a node to read the record of a task it takes over. The record contains the length of the task's lease. */
const firstLease = 6_000;

function toArgument(value: number): string {
  return String(Math.ceil(value));
}
