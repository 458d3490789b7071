import type { EventWriter } from "../../runtime/transport/http-server/exchange/exchange.ts";

/** Creates the writer of a connection that is never slow, and adds what it writes to a list. */
export function toWriter(written: string[]): EventWriter {
  return {
    waiting: 0,
    write: (text) => void written.push(text),
    drained: async () => {},
    onClose() {},
    end() {},
    destroy() {},
  };
}
