import type { Extension, Revision } from "../../../generated/support.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectUpstream, createGateway, type Gateway, type UpstreamTarget } from "../../../runtime/gateway/index.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { limitRevision } from "../../live/limit-revision.ts";
import { readSpecModels } from "../../../generator/read/spec-models.ts";
import type { Recording } from "../recording.ts";
import { ForeignMembers } from "./foreign-members.ts";
import { readIgnored } from "./ignored-paths.ts";
import { replayRecording, type ReplayReport } from "./replay-recording.ts";

/** Options of a test of a server with a recording. */
export interface TestServerOptions {
  readonly recording: Recording;
  readonly server: UpstreamTarget | ConnectionFactory;
  /** Revision at which the server is called. */
  readonly spoken: Revision;
  /** Revisions between which a gateway converts, with extensions, and their spec folder if it is not this package's. */
  readonly known: {
    readonly revisions: readonly Revision[];
    readonly extensions: readonly Extension[];
    readonly spec: string | undefined;
  };
  /** Ends of the paths of ignored members. */
  readonly ignore: readonly string[];
  /** Milliseconds to wait for each response. */
  readonly timeout: number;
}

/**
 * Sends the recorded requests to a server, and compares its responses with the recorded ones. At another revision than the recorded one, a gateway
 * converts between them, and members missing in one of the two revisions are not compared.
 */
export async function testServer(options: TestServerOptions): Promise<ReplayReport> {
  const { recording, server, spoken, known, ignore, timeout } = options;
  const { revision: recorded } = recording;
  const isIgnored = readIgnored(ignore);
  const open = limitRevision(connectUpstream(server), spoken);
  if (recorded.id === spoken.id) return replayRecording({ recording, open, timeout, isIgnored });
  const foreign = await readForeignMembers([recorded, spoken], known.spec);
  const gateway = await createGateway(open, {
    revisions: known.revisions,
    extensions: known.extensions,
    shareConnections: true,
  });
  try {
    return await replayRecording({
      recording,
      open: joinGateway(gateway),
      timeout,
      isIgnored,
      foreign,
    });
  } finally {
    await gateway.close();
  }
}

async function readForeignMembers(
  [one, other]: readonly [Revision, Revision],
  spec: string | undefined,
): Promise<ForeignMembers> {
  const { models } = await readSpecModels(spec);
  const [first, second] = [one, other].map(({ id }) => models.find((model) => model.id === id));
  if (first && second) return new ForeignMembers(first, second);
  throw new Error(`The models lack ${one.id} or ${other.id}`);
}

/** Returns a function to open connections to a gateway in this process. */
function joinGateway(gateway: Gateway): ConnectionFactory {
  return (options) => {
    const [near, far] = createInMemoryTransports({ maxDepth: 512 });
    gateway.accept(far);
    return connect(near, options);
  };
}
