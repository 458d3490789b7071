import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Health } from "../engine/health.ts";
import { describeProblem } from "../engine/describe-problem.ts";
import { Operations } from "../engine/operations.ts";
import type { RedisLink } from "./connection/link.ts";
import { toNumber } from "./replies.ts";
import type { RedisScript } from "./scripts/script.ts";

/** Link, health and timeout of commands. */
export interface RedisCommandsOptions {
  readonly link: RedisLink;
  readonly health: Health;
  /** Milliseconds until a command fails. */
  readonly timeout: number;
}

/** Sends commands, each with a deadline. A failure is an `EngineError`. */
export class RedisCommands {
  readonly #link: RedisLink;
  readonly #health: Health;
  readonly #timeout: number;
  readonly #operations: Operations;
  /** Confirmations to be requested soon, by their kind and the key of their slot. */
  readonly #confirmations = new Map<string, Promise<void>>();
  #replicas = 0;

  constructor({ link, health, timeout }: RedisCommandsOptions) {
    this.#link = link;
    this.#health = health;
    this.#timeout = timeout;
    this.#operations = new Operations({ product: "Redis", health, timeout, isRejection });
  }

  /** Command for publishing inside of scripts. */
  get publishCommand(): string {
    return this.#link.publishCommand;
  }

  /** Sets the number of replicas needed to confirm each durable write. */
  setReplicas(replicas: number): void {
    this.#replicas = replicas;
  }

  /** Sends a command; its key decides which server of a cluster it goes to. */
  send(key: string, args: readonly [string, ...string[]]): Promise<unknown> {
    return this.perform(args[0], () => this.#link.command(key, args));
  }

  /** Runs a script. */
  run(script: RedisScript, keys: readonly [string, ...string[]], args: readonly string[] = []): Promise<unknown> {
    return this.perform(script.name, () => this.#evaluate(script, keys, args));
  }

  /** Runs a script and waits until the replicas have what it wrote. */
  runDurably(script: RedisScript, keys: readonly [string, ...string[]], args?: readonly string[]): Promise<unknown> {
    return this.#confirmed("write", keys[0], () => this.run(script, keys, args));
  }

  /**
   * Runs a reading script, and waits until the replicas have everything it may have read. If the primary was replaced or is about to be, no replica
   * replies: its data may be old, or lost with it.
   */
  runConfirmed(script: RedisScript, keys: readonly [string, ...string[]], args?: readonly string[]): Promise<unknown> {
    return this.#confirmed("read", keys[0], () => this.run(script, keys, args));
  }

  /** Sends a command and waits until the replicas have what it wrote. */
  sendDurably(key: string, args: readonly [string, ...string[]]): Promise<unknown> {
    return this.#confirmed("write", key, () => this.send(key, args));
  }

  /** Sends a reading command, and waits until the replicas have everything it may have read. */
  sendConfirmed(key: string, args: readonly [string, ...string[]]): Promise<unknown> {
    return this.#confirmed("read", key, () => this.send(key, args));
  }

  async #confirmed(kind: "write" | "read", key: string, send: () => Promise<unknown>): Promise<unknown> {
    const { generation } = this.#link;
    const reply = await send();
    await this.#confirm(kind, key, generation);
    return reply;
  }

  /** Waits until the replicas have the writes so far: those of this connection, or with `read` those of all. */
  #confirm(kind: "write" | "read", key: string, generation: number): Promise<void> {
    if (this.#replicas === 0) return Promise.resolve();
    if (generation !== this.#link.generation) return Promise.reject(new EngineError(connectionChanged));
    const slot = `${kind} ${this.#link.publishCommand === "PUBLISH" ? "" : key}`;
    const known = this.#confirmations.get(slot);
    if (known) return known;
    // One confirmation is enough for all writes that were settled at the same time.
    const confirmation = Promise.resolve().then(() => {
      this.#confirmations.delete(slot);
      return kind === "read" ? this.#waitForAll(key, generation) : this.#wait(key, generation);
    });
    this.#confirmations.set(slot, confirmation);
    return confirmation;
  }

  /** WAIT counts replicas that have the last write of the connection. After a write now, they have everything before it. */
  async #waitForAll(key: string, generation: number): Promise<void> {
    const mark = `${key}:b`;
    await Promise.all([this.send(key, ["SET", mark, "", "PX", "1000"]), this.#wait(key, generation)]);
  }

  async #wait(key: string, generation: number): Promise<void> {
    if (generation !== this.#link.generation) throw new EngineError(connectionChanged);
    const time = String(Math.ceil(this.#timeout / 2));
    const reply = await this.send(key, ["WAIT", String(this.#replicas), time]);
    if (toNumber(reply) >= this.#replicas) return;
    this.#health.rejected("WAIT", "too few replicas have confirmed a write");
    throw new EngineError(`Only ${toNumber(reply)} of ${this.#replicas} replicas have confirmed a write; repeat it`);
  }

  async #evaluate(
    script: RedisScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.#link.command(keys[0], ["EVALSHA", script.hash, ...rest]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw withoutScript(error);
    }
    try {
      return await this.#link.command(keys[0], ["EVAL", script.text, ...rest]);
    } catch (error) {
      throw withoutScript(error);
    }
  }

  /**
   * Performs an operation within the deadline.
   *
   * @throws {EngineError} when it fails
   */
  async perform<Reply>(operation: string, work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await this.#operations.perform(operation, work);
    } catch (error) {
      const isReplaced = error instanceof EngineError && /^(-?READONLY|UNBLOCKED)/.test(describeProblem(error.cause));
      if (isReplaced) this.#link.renew();
      throw error;
    }
  }
}

const connectionChanged = "The connection to Redis ended before the replicas confirmed a write; repeat it";

/** Returns the error of a command in a script. Redis before 7 quotes it in the error of the script. */
function withoutScript(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, quoted] =
    /^ERR Error running script .*?: (?:@?user_script: ?\d+: )+-?([A-Z]{2,} .*)/.exec(error.message) ?? [];
  return quoted === undefined ? error : new Error(quoted, { cause: error });
}

/** True for an error reply of a working server. */
function isRejection(problem: string): boolean {
  return /^(OOM|MISCONF|NOPERM|ERR|WRONGTYPE|NOREPLICAS|NOSCRIPT|EXECABORT)\b/.test(problem);
}
