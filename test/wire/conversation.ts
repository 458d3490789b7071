import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../templates/support.ts";
import { Normalizer } from "./normalize.ts";
import * as script from "./script.ts";
import type { RevisionId, Step } from "./script.ts";

/** The test's end of a connection that carries messages as text, whatever the transport. */
export interface MessageLink {
  send(text: string): void;
  /** Calls the listener with each message that arrives. */
  listen(listener: (text: string) => void): void;
}

/** Records the whole script over a link, one line an entry: `>` is sent, `<` is received, `#` names a step. */
export async function converse(link: MessageLink, revision: RevisionId): Promise<readonly string[]> {
  const conversation = new Conversation(link, revision);
  await conversation.run(script.opening(revision));
  const tools = await conversation.list("tools");
  await conversation.run(script.toolCalls(revision, tools));
  await conversation.run(script.otherRequests(revision));
  await conversation.run(script.brokenMessages(revision));
  return conversation.entries;
}

class Conversation {
  readonly entries: string[] = [];
  readonly #normalizer = new Normalizer();
  readonly #link: MessageLink;
  readonly #revision: RevisionId;
  readonly #waiting = new Map<unknown, (message: Readonly<Record<string, unknown>>) => void>();
  #unrecorded = 0;

  constructor(link: MessageLink, revision: RevisionId) {
    this.#link = link;
    this.#revision = revision;
    link.listen((text) => this.#receive(text));
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#exchange(step);
  }

  /** Pages of a list, to their end. */
  async list(kind: string): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let cursor: unknown;
    do {
      const message = script.request(
        this.#revision,
        `list-${items.length}`,
        `${kind}/list`,
        cursor === undefined ? {} : { cursor },
      );
      const { result } = await this.#exchange({ name: `${kind}/list`, message });
      if (!isObject(result) || !Array.isArray(result[kind])) break;
      items.push(...result[kind]);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return items;
  }

  async #exchange(first: Step): Promise<Readonly<Record<string, unknown>>> {
    let step: Step | undefined = first;
    let response: Readonly<Record<string, unknown>> = {};
    for (let round = 1; step; round++) {
      if (step.until) await this.#poll(step.until);
      this.entries.push(`# ${step.name}`);
      response = await this.#send(step.message);
      if (step.settle !== undefined) await sleep(step.settle);
      step = script.followUp(this.#revision, step.message, response.result, round);
    }
    return response;
  }

  async #send(message: unknown): Promise<Readonly<Record<string, unknown>>> {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.entries.push(`> ${this.#normalizer.text(text)}`);
    const id = isObject(message) && "method" in message && "id" in message ? message.id : undefined;
    const isAnswered =
      (typeof id === "string" || typeof id === "number") && Number.isInteger(id) !== (typeof id === "string");
    const response = isAnswered ? this.#response(id) : undefined;
    this.#link.send(text);
    const received = (await response) ?? {};
    await this.#barrier();
    return received;
  }

  async #poll({ method, params }: NonNullable<Step["until"]>): Promise<void> {
    do await sleep(script.pollInterval);
    while (script.isWorking((await this.#sendUnrecorded(method, params)).result));
  }

  /** An unknown method is answered after everything that came before. */
  async #barrier(): Promise<void> {
    await this.#sendUnrecorded("wire/barrier", {});
  }

  #sendUnrecorded(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = `unrecorded-${(this.#unrecorded += 1)}`;
    const response = this.#response(id);
    this.#link.send(JSON.stringify(script.request(this.#revision, id, method, params)));
    return response;
  }

  #response(id: unknown): Promise<Readonly<Record<string, unknown>>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No response to ${String(id)}`)), 20_000);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(message);
      });
    });
  }

  #receive(line: string): void {
    const message: unknown = JSON.parse(line);
    const isRecorded = !isObject(message) || !String(message.id).startsWith("unrecorded-");
    if (isRecorded) this.entries.push(`< ${this.#normalizer.text(line)}`);
    if (!isObject(message)) return;
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#respond(message);
      return;
    }
    this.#waiting.get(message.id)?.(message);
  }

  #respond({ id, method, params }: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: script.respond(method, params) });
    this.entries.push(`> ${this.#normalizer.text(text)}`);
    this.#link.send(text);
  }
}
