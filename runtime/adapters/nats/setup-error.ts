import { SetupError } from "../../jsonrpc/errors.ts";

/** Attempt to open an engine that has failed. */
export interface FailedSetup {
  readonly servers: string | readonly string[];
  /** Start of the subjects of the application. */
  readonly subjects: string;
  /** Copies of each stream that are required. */
  readonly replicas: number;
}

/** Returns the error for an attempt to open an engine. Its message contains no credentials. */
export function toNatsSetupError(error: unknown, setup: FailedSetup): SetupError {
  if (error instanceof SetupError) return error;
  return new SetupError(`NATS at ${describeServers(setup.servers)} ${toProblem(error, setup)}`, { cause: error });
}

function toProblem(error: unknown, { subjects, replicas }: FailedSetup): string {
  const text = error instanceof Error ? `${error.name} ${error.message}` : "";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/authorization|authentication/i.test(text)) return "rejects the credentials; check user name and password";
  if (/permission/i.test(text)) return `denies a subject; permit ${subjects}.>, $JS.API.> and _INBOX.>`;
  if (/replicas|insufficient resources|no suitable peers/i.test(text))
    return `keeps fewer than ${replicas} copies; use a cluster of as many servers, or set replicas`;
  if (/storage|resource/i.test(text)) return "has no storage for the streams; enlarge the limits of JetStream";
  if (/jetstream|no responders|503/i.test(text)) return "has no JetStream; start the server with --jetstream";
  if (/CERT|ISSUER|ALTNAME/.test(code) || /certificate/i.test(text))
    return "has no trusted certificate; set tls.caFile to that of its authority";
  return "cannot be reached; check its address and that it is running";
}

/** Returns the first address without scheme and credentials, and the number of the others. */
function describeServers(servers: string | readonly string[]): string {
  const [first = "no address", ...others] = typeof servers === "string" ? [servers] : servers;
  const place = first.replace(/^\w+:\/\//, "").replace(/^[^@/]*@/, "");
  return others.length === 0 ? place : `${place} and ${others.length} more`;
}
