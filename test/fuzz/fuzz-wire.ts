import { encode } from "../../runtime/framing/json.ts";
import type { Outgoing, RequestId } from "../../runtime/jsonrpc/message.ts";
import { Wire } from "../../runtime/testing/wire.ts";
import type { FuzzConnection } from "./conversation.ts";
import { maxMessageBytes } from "./lines.ts";
import { parseSent } from "./parse-json.ts";

/** Opens a connection in this process. */
export function openInMemory(): Promise<FuzzConnection> {
  const wire = new FuzzWire();
  return Promise.resolve({ wire, channel: wire });
}

/** Wire that also carries text other than JSON, as a real one does. */
export class FuzzWire extends Wire {
  constructor() {
    super({ maxMessageBytes });
  }

  override send(message: Outgoing, related?: RequestId): void {
    const text = encode(message);
    this.sent.push(parseSent(text));
    this.related.push(related);
  }
}
