import { pause } from "../../runtime/internal/timers.ts";
import { openEnvelope, sealEnvelope } from "../engine/envelope.ts";
import { isNodeMessage, messagesTtl, mostMessages } from "../engine/node-message.ts";
import { ReadLoop } from "../engine/read-loop.ts";
import { isForOneNode, type NodeMessage } from "../stores/node-directory.ts";
import { isAfter } from "./position.ts";
import { toList, toNumber, toText, toTexts } from "./replies.ts";
import { readMessages, sendMessage } from "./scripts/messages.ts";
import type { StoreContext } from "./store-context.ts";

/** Messages to nodes in Redis. */
export class RedisMessages {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Sends a message. `isAlive`: called when no connection receives it, because a node with a lease may be about to connect again. */
  async send(node: string, message: NodeMessage, isAlive: () => Promise<boolean>): Promise<"sent" | "absent"> {
    const { commands, names, ring } = this.#context;
    const { key, channel } = names.messages(node);
    const isKept = isForOneNode(message);
    const args = [
      sealEnvelope(ring, channel, message),
      isKept ? "1" : "0",
      String(mostMessages),
      String(messagesTtl),
      commands.publishCommand,
      channel,
    ];
    for (let attempt = 0; ; attempt += 1) {
      if (toNumber(await commands.runDurably(sendMessage, [key], args)) > 0) return "sent";
      if (isKept || attempt === 5 || !(await isAlive())) return "absent";
      await pause(100, undefined);
    }
  }

  /** Returns a reader of the messages to a node. */
  createReader(node: string, receive: (message: NodeMessage) => void): RedisMessageReader {
    return new RedisMessageReader(this.#context, node, receive);
  }
}

/** Reads the messages to a node, in order. */
export class RedisMessageReader {
  readonly #context: StoreContext;
  readonly #node: string;
  readonly #receive: (message: NodeMessage) => void;
  readonly #loop = new ReadLoop(() => this.#readNew());
  /** Id of the last message read. */
  #last = "0-0";

  constructor(context: StoreContext, node: string, receive: (message: NodeMessage) => void) {
    this.#context = context;
    this.#node = node;
    this.#receive = receive;
  }

  /** Begins after the last message. */
  async start(): Promise<void> {
    this.#last = (await this.#readPage(1)).last;
  }

  /** Reads the messages since the last one, and again when it is called meanwhile. */
  read(): void {
    this.#loop.request();
  }

  readAll(): Promise<void> {
    return this.#loop.run();
  }

  stop(): void {
    this.#loop.stop();
  }

  async #readNew(): Promise<void> {
    while (!this.#loop.isStopped) {
      const { last, entries } = await this.#readPage(pageSize);
      // A store that has lost its data counts from the beginning, if its clock was set back.
      const isEarlier = isAfter(this.#last, last);
      if (isEarlier) this.#last = "0-0";
      for (let index = 0; index + 1 < entries.length && !this.#loop.isStopped; index += 2) {
        this.#last = entries[index] ?? this.#last;
        this.#open(entries[index + 1] ?? "");
      }
      if (!isEarlier && entries.length < 2 * pageSize) return;
    }
  }

  async #readPage(limit: number): Promise<{ readonly last: string; readonly entries: readonly string[] }> {
    const { commands, names } = this.#context;
    const args = [this.#last, String(limit), String(messagesTtl)];
    const [last, entries] = toList(await commands.run(readMessages, [names.messages(this.#node).key], args));
    return { last: toText(last) ?? this.#last, entries: toTexts(entries) };
  }

  #open(text: string): void {
    // The store has created the stream with an empty message.
    if (text === "") return;
    const { ring, names, health } = this.#context;
    const message = openEnvelope(ring, names.messages(this.#node).channel, text);
    if (isNodeMessage(message)) this.#receive(message);
    else health.countInvalid();
  }
}

/** Number of messages read by one command. */
const pageSize = 256;
