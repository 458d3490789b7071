import { isObject } from "../../templates/support.ts";
import { Normalizer } from "./normalize.ts";
import * as script from "./script.ts";
import type { RevisionId } from "./script.ts";
import { listItems, runSteps, type Message, type Recording } from "./steps.ts";

/** The test's end of a connection that carries messages as text, whatever the transport. */
export interface MessageLink {
  send(text: string): void;
  /** Calls the listener with each message that arrives. */
  listen(listener: (text: string) => void): void;
}

/** Records the whole script over a link, one line an entry: `>` is sent, `<` is received, `#` names a step. */
export async function converse(link: MessageLink, revision: RevisionId): Promise<readonly string[]> {
  const conversation = new Conversation(link, revision);
  await runSteps(conversation, script.opening(revision));
  await runSteps(conversation, script.toolCalls(revision, await listItems(conversation, "tools")));
  await runSteps(conversation, script.otherRequests(revision));
  await runSteps(conversation, script.brokenMessages(revision));
  return conversation.entries;
}

class Conversation implements Recording {
  readonly entries: string[] = [];
  readonly #normalizer = new Normalizer();
  readonly #link: MessageLink;
  readonly revision: RevisionId;
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  #unrecorded = 0;

  constructor(link: MessageLink, revision: RevisionId) {
    this.#link = link;
    this.revision = revision;
    link.listen((text) => this.#receive(text));
  }

  async post(message: unknown): Promise<Message> {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.entries.push(`> ${this.#normalizer.text(text)}`);
    const id = isObject(message) && "method" in message && "id" in message ? message.id : undefined;
    const hasResponse =
      (typeof id === "string" || typeof id === "number") && Number.isInteger(id) !== (typeof id === "string");
    const response = hasResponse ? this.#response(id) : undefined;
    const isBatch = text.startsWith("[{") && script.hasBatches(this.revision);
    const batch = isBatch ? this.#response(batchKey) : undefined;
    this.#link.send(text);
    const received = (await response) ?? {};
    await batch;
    await this.#barrier();
    return received;
  }

  /** The response to an unknown method comes after everything before it. */
  async #barrier(): Promise<void> {
    await this.postUnrecorded("wire/barrier", {});
  }

  postUnrecorded(method: string, params: object): Promise<Message> {
    const id = `unrecorded-${(this.#unrecorded += 1)}`;
    const response = this.#response(id);
    this.#link.send(JSON.stringify(script.request(this.revision, id, method, params)));
    return response;
  }

  #response(id: unknown): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No response to ${String(id)}`)), 60_000);
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
    if (Array.isArray(message)) this.#waiting.get(batchKey)?.({});
    if (!isObject(message)) return;
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#respond(message);
      return;
    }
    this.#waiting.get(message.id)?.(message);
  }

  #respond({ id, method, params }: Message): void {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: script.respond(method, params) });
    this.entries.push(`> ${this.#normalizer.text(text)}`);
    this.#link.send(text);
  }
}

/** Key of the response to a batch among those that are awaited: it has no id. */
const batchKey = Symbol("batch");
