import { SetupError } from "../../../runtime/jsonrpc/errors.ts";

/** Failed attempt to open an engine. */
export interface FailedSetup {
  /** Servers as host and port. */
  readonly servers: readonly string[];
  /** Start of the subjects of the application. */
  readonly subjects: string;
  /** Required copies of each stream. */
  readonly replicas: number;
  /** True if the server belongs to a cluster. */
  readonly isClustered: boolean;
}

/** Returns the error for an attempt to open an engine. Its message contains no credentials. */
export function toNatsSetupError(error: unknown, setup: FailedSetup): SetupError {
  if (error instanceof SetupError) return error;
  const problem = findProblem(error, setup) ?? "cannot be reached; check its address and that it is running";
  return new SetupError(`NATS at ${describeServers(setup.servers)} ${problem}`, { cause: error });
}

/** Returns the error for an attempt to use a server again: a `SetupError` where its settings are the problem. */
export function toReconnectError(error: unknown, setup: FailedSetup): unknown {
  return findProblem(error, setup) === undefined ? error : toNatsSetupError(error, setup);
}

/** True for an error of a cluster during the election of a leader, or of a slow server. */
export function isTransient(error: unknown, { isClustered }: Pick<FailedSetup, "isClustered">): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || (isClustered && electing.test(error.message));
}

/** Messages of a cluster in which JetStream, or a stream, has no leader at the moment. */
const electing = /no responders|not enabled|temporarily unavailable|no leader|offline/i;

function findProblem(error: unknown, setup: FailedSetup): string | undefined {
  const { subjects, replicas, isClustered } = setup;
  const text = error instanceof Error ? `${error.name} ${error.message}` : "";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/authorization|authentication/i.test(text)) return "rejects the credentials; check user name and password";
  if (/permission/i.test(text)) return `denies a subject; permit ${subjects}.>, $JS.API.> and _INBOX.>`;
  if (isClustered && isTransient(error, setup))
    return "has too few servers of its cluster; check that most of them run";
  if (/replicas|insufficient resources|no suitable peers/i.test(text))
    return `keeps fewer than ${replicas} copies; use a cluster of as many servers, or set replicas`;
  if (/storage|resource|is full/i.test(text)) return "has no storage for the streams; enlarge the limits of JetStream";
  if (/jetstream|no responders|503/i.test(text)) return "has no JetStream; start the server with --jetstream";
  if (/CERT|ISSUER|ALTNAME/.test(code) || /certificate/i.test(text))
    return "has no trusted certificate; set tls.caFile to that of its authority";
  return undefined;
}

/** Returns the first address, and the number of the others. */
function describeServers([first = "no address", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
