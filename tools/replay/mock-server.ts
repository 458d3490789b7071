import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { connect } from "../../runtime/client/connect.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { limitRevision } from "../live/limit-revision.ts";
import { readExchanges } from "./exchanges.ts";
import { MockConnection } from "./mock-connection.ts";
import { MockScript } from "./mock-script.ts";
import { withoutOpening, type Recording } from "./recording.ts";

/**
 * Returns a function to open connections to a mock of a recorded server, at the recorded revision.
 *
 * @throws {UserError} when the recording does not contain how a connection is opened
 */
export function createMockServer({ path, header, messages, revision }: Recording): ConnectionFactory {
  const script = new MockScript({
    exchanges: readExchanges(messages, revision),
    redacted: header.redacted,
    revision,
  });
  if (!script.canOpen) throw withoutOpening(path);
  const connections = new Set<MockConnection>();
  return limitRevision((options) => {
    const [near, far] = createInMemoryTransports({ maxDepth: 512 });
    new MockConnection(far, { script, connections }).start();
    return connect(near, options);
  }, revision);
}
