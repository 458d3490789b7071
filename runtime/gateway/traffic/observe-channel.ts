import type { Channel, FramingProblem, Receiver } from "../../jsonrpc/channel.ts";
import { isBatch, StaticResult, type Incoming, type Message, type Outgoing } from "../../jsonrpc/message.ts";
import { replaceMembers } from "../../jsonrpc/replace-members.ts";

/** Receives the messages of a channel, in the order of the wire. */
export interface ChannelObserver {
  /** Receives a sent message. */
  sent(message: Message): void;
  /** Receives incoming data: a message, or anything else. */
  received(value: unknown): void;
  /** Receives input which is not readable as a message. */
  unreadable(problem: FramingProblem): void;
}

/** Returns the channel with an observer of its messages. */
export function observeChannel(channel: Channel, observer: ChannelObserver): Channel {
  const start = (receiver: Receiver): void => channel.start(observeReceiver(receiver, observer));
  const send: Channel["send"] = (outgoing, related) => {
    const sent = channel.send(outgoing, related);
    // A message that cannot be encoded throws, and is not on the wire.
    for (const message of toMessages(outgoing)) observer.sent(toPlain(message));
    return sent;
  };
  return replaceMembers(channel, { start, send });
}

function observeReceiver(receiver: Receiver, observer: ChannelObserver): Receiver {
  const hold = receiver.hold?.bind(receiver);
  return {
    message(value, origin) {
      for (const one of Array.isArray(value) ? value : [value]) observer.received(one);
      receiver.message(value, origin);
    },
    classified(incoming, origin) {
      observer.received(toMessage(incoming));
      receiver.classified(incoming, origin);
    },
    problem(problem) {
      observer.unreadable(problem);
      receiver.problem(problem);
    },
    ...(hold && { hold }),
    ended: () => receiver.ended(),
    disconnected: (reason) => receiver.disconnected(reason),
  };
}

function toMessages(outgoing: Outgoing): readonly Message[] {
  return isBatch(outgoing) ? outgoing : [outgoing];
}

/** Replaces a static result by its value. */
function toPlain(message: Message): Message {
  if (!("result" in message) || !(message.result instanceof StaticResult)) return message;
  return { ...message, result: message.result.value };
}

/** Returns the message as classified by a transport. If it is not valid, only its id is known. */
function toMessage(incoming: Incoming): object {
  const { kind, ...members } = incoming;
  switch (kind) {
    case "request":
    case "notification":
    case "result":
    case "error": {
      const given = Object.entries(members).filter(([, value]) => value !== undefined);
      return { jsonrpc: "2.0", ...Object.fromEntries(given) };
    }
    case "invalid":
    case "unusable":
      return incoming.id === undefined ? {} : { id: incoming.id };
    default:
      return kind satisfies never;
  }
}
