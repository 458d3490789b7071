import { openEnvelope, sealEnvelope } from "../engine/envelope.ts";
import { isNodeMessage } from "../engine/node-message.ts";
import { ReadLoop } from "../engine/read-loop.ts";
import { isForOneNode, type NodeMessage } from "../stores/node-directory.ts";
import { divideMessage, MessageParts } from "./message-parts.ts";
import type { NatsContext } from "./nats-context.ts";

/** Messages to nodes, in a stream of NATS. */
export class NatsMessages {
  readonly #context: NatsContext;

  constructor(context: NatsContext) {
    this.#context = context;
  }

  /** Sends a message. `isKnown`: called when nothing receives it; returns whether the node may come back. */
  async send(node: string, message: NodeMessage, isKnown: () => Promise<boolean>): Promise<"sent" | "absent"> {
    const { link, operations, names, ring } = this.#context;
    const isPresent = await this.#isPresent(node);
    if (!isPresent && !(isForOneNode(message) && (await isKnown()))) return "absent";
    const subject = names.messages(node);
    const texts = divideMessage(sealEnvelope(ring, subject, message), link.maxPayload);
    await operations.perform("send", () => Promise.all(texts.map((text) => link.publish(subject, text))));
    link.notify(names.messageWake(node), wakeText);
    return isPresent ? "sent" : "absent";
  }

  /** Receives the messages to a node. */
  async receive(node: string, receive: (message: NodeMessage) => void): Promise<NatsMessageReader> {
    const reader = new NatsMessageReader(this.#context, node, receive);
    await reader.start();
    return reader;
  }

  /** True unless nothing receives messages to the node. A node without a response in time may be busy. */
  async #isPresent(node: string): Promise<boolean> {
    const { link, names } = this.#context;
    try {
      return (await link.request(names.messageWake(node), "")) === "sent";
    } catch {
      return true;
    }
  }
}

/** Reads the messages to a node, in order. */
export class NatsMessageReader {
  readonly #context: NatsContext;
  readonly #subject: string;
  readonly #wakeSubject: string;
  readonly #parts: MessageParts;
  readonly #loop = new ReadLoop(() => this.#readNew());
  #unsubscribe: (() => void) | undefined;
  /** Sequence to read from. */
  #from = 1;
  /** Sequence before which all messages are removed. */
  #removed = 1;

  constructor(context: NatsContext, node: string, receive: (message: NodeMessage) => void) {
    this.#context = context;
    this.#subject = context.names.messages(node);
    this.#wakeSubject = context.names.messageWake(node);
    this.#parts = new MessageParts((text) => {
      const message = openEnvelope(context.ring, this.#subject, text);
      if (isNodeMessage(message)) receive(message);
      else context.health.countInvalid();
    });
  }

  /** Begins after the last message, and subscribes to the wake-ups. */
  async start(): Promise<void> {
    const { link, operations } = this.#context;
    const last = await operations.perform("read", () => link.findLast(this.#stream, this.#subject));
    this.#from = (last?.sequence ?? 0) + 1;
    this.#unsubscribe = await operations.perform("subscribe", () =>
      link.subscribe(this.#wakeSubject, (text) => {
        if (text === wakeText) this.read();
      }),
    );
    this.read();
  }

  /** Reads the messages since the last one, and again when it is called meanwhile. */
  read(): void {
    this.#loop.request();
  }

  readAll(): Promise<void> {
    return this.#loop.run();
  }

  /** Reads what has arrived while the connection was lost. A server without its data counts from the beginning again. */
  async resume(): Promise<void> {
    const { link, operations } = this.#context;
    const { last } = await operations.perform("read", () => link.readState(this.#stream));
    if (this.#from > last + 1) [this.#from, this.#removed] = [1, 1];
    this.read();
  }

  /** Removes the messages read so far. */
  async removeRead(): Promise<void> {
    const { link, operations } = this.#context;
    const before = this.#from;
    if (before === this.#removed) return;
    await operations.perform("remove", () => link.purge(this.#stream, this.#subject, before));
    this.#removed = before;
  }

  stop(): void {
    this.#loop.stop();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  get #stream(): string {
    return this.#context.names.streams.messages.name;
  }

  async #readNew(): Promise<void> {
    const { link, operations } = this.#context;
    while (!this.#loop.isStopped) {
      const from = this.#from;
      const found = await operations.perform("read", () => link.findNext(this.#stream, this.#subject, from));
      if (!found || this.#loop.isStopped) return;
      this.#from = found.sequence + 1;
      this.#parts.add(found.text);
    }
  }
}

/** Text in requests after a message was stored. Requests without it only find out whether the node is there. */
const wakeText = "message";
