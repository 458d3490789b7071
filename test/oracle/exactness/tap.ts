import { encode } from "../../../runtime/framing/json.ts";
import type { Channel, Receiver } from "../../../runtime/jsonrpc/channel.ts";

/** A message, and who sent it. */
export interface Seen {
  readonly from: "client" | "server";
  readonly message: unknown;
}

/** The client's end of a channel, with everything that goes over it written down as it is on the wire. */
export function tap(channel: Channel, seen: Seen[]): Channel {
  return {
    start(receiver) {
      channel.start(
        listen(receiver, (message) => void seen.push({ from: "server", message: JSON.parse(JSON.stringify(message)) })),
      );
    },
    send(message, related) {
      seen.push({ from: "client", message: JSON.parse(encode(message)) });
      return channel.send(message, related);
    },
    agree: (revision) => channel.agree?.(revision),
    abandon: (id) => channel.abandon?.(id),
    close: () => channel.close(),
  };
}

function listen(receiver: Receiver, note: (message: unknown) => void): Receiver {
  return {
    message(value, origin) {
      note(value);
      receiver.message(value, origin);
    },
    classified(incoming, origin) {
      note(incoming);
      receiver.classified(incoming, origin);
    },
    problem: (problem) => receiver.problem(problem),
    ended: () => receiver.ended(),
    disconnected: (reason) => receiver.disconnected(reason),
  };
}
