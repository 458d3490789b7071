import { isObject } from "../../../generated/support.ts";
import { awaitSent, type FuzzConnection, type OpenFuzzConnection, type Subject } from "../../fuzz/conversation.ts";
import { definedThings, openFuzzedSession, readCapabilities, serveFuzzed } from "../../fuzz/defined-subjects.ts";
import type { ExpectedOutcome, Id, ReceivedRequest, Receiver } from "../../fuzz/expected-outcome.ts";
import { openInMemory } from "../../fuzz/fuzz-wire.ts";
import { OutcomeChecker } from "../../fuzz/outcome-checker.ts";
import type { FuzzRevision } from "../../fuzz/revision.ts";
import type { Script } from "../../fuzz/steps.ts";
import { prepare, serverCapabilities } from "../../fuzz/subjects.ts";
import { isHit, pick, createRandom, type Random } from "../../kit/random.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { requestMetadata, meta } from "../../kit/messages.ts";
import { parseJson } from "../../fuzz/parse-json.ts";

/* Both ends at the revisions whose requests carry their own metadata. */

/** A defined server without a session. */
export async function createStatelessServerSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { random } = prepare(script, revisions);
  const connection = await open("server");
  const served = serveFuzzed(connection, random, [statelessRevision]);
  return { ...(await toStatelessSubject(connection, script, revisions)), ...served };
}

/** Makes a subject of a connection to a server without a session, in this process or another. */
export async function toStatelessSubject(
  wired: Omit<FuzzConnection, "channel" | "close">,
  script: Script,
  revisions: readonly FuzzRevision[],
): Promise<Omit<Subject, "close">> {
  const { fuzz } = prepare(script, revisions);
  const { wire } = wired;
  wire.post({ jsonrpc: "2.0", id: 0, method: "server/discover", params: { _meta: requestMetadata() } });
  await awaitSent(wired);
  const [opening] = wire.sent.splice(0);
  const declared = { server: readCapabilities(opening, "result"), client: {} };
  const hanging = new Set<Id>();
  const receiver: Receiver = { fuzz, role: "server", declared, expectRequest: (request) => expect(request, hanging) };
  const own = createRandom(script.seed + 1);
  return {
    ...wired,
    checker: new OutcomeChecker(receiver, { codes: handlerCodes, hanging, stopped: new Set(), isExact: true }),
    receiver,
    things: definedThings,
    edit: (line) => addMetadata(line, own),
  };
}

/** A client without a session, that calls all the while. */
export async function createStatelessClientSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { fuzz, random } = prepare(script, revisions);
  const connection = await open("client");
  const declared = { server: script.isOpen ? statelessCapabilities : {}, client: {} };
  const result = {
    ...{ resultType: "complete", ttlMs: 0, cacheScope: "private", supportedVersions: [statelessRevision.id] },
    ...{ capabilities: declared.server, _meta: { [meta.serverInfo]: { name: "s", version: "1" } } },
  };
  const options = { random, revisions: [statelessRevision], result };
  const { opening: _opening, ...session } = await openFuzzedSession(connection, options);
  const receiver: Receiver = { fuzz, role: "client", declared, isSilent: true };
  return {
    ...connection,
    checker: new OutcomeChecker(receiver, { codes: [-32602], hanging: new Set(), stopped: new Set(), isExact: true }),
    receiver,
    ...session,
  };
}

const { tasks: _tasks, ...statelessCapabilities } = serverCapabilities;

/** Codes of errors for a request without whole metadata, whatever else is wrong with it. */
const metadataCodes: readonly number[] = [
  -32601,
  -32602,
  ...[statelessRevision.errors["unsupportedProtocolVersion"]?.code].filter((code) => code !== undefined),
];

/** Codes of errors for a request that is accepted: an argument is unknown, or the client lacks a capability. */
const handlerCodes: readonly number[] = [
  -32602,
  -32002,
  ...[statelessRevision.errors["missingRequiredClientCapability"]?.code].filter((code) => code !== undefined),
];

function expect({ id, method, params }: ReceivedRequest, hanging: Set<Id>): ExpectedOutcome | undefined {
  const own = isObject(params) ? params._meta : undefined;
  if (isObject(own) && own[meta.version] === statelessRevision.id && isObject(own[meta.capabilities])) {
    // Its response follows when it is cancelled.
    if (method === "subscriptions/listen") hanging.add(id);
    return undefined;
  }
  return { kind: "rejection", codes: metadataCodes, id, params: { _meta: {} } };
}

/** Adds metadata to most requests. */
function addMetadata(line: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(line).toString().slice(0, -1);
  const value = parseJson(text);
  if (!isObject(value) || JSON.stringify(value) !== text || value.id === undefined) return line;
  const { params = {} } = value;
  if (!isObject(params) || isHit(0.04, random)) return line;
  const changes = isHit(0.95, random) ? pick(complete, random) : pick(broken, random);
  return Buffer.from(`${JSON.stringify({ ...value, params: { ...params, _meta: requestMetadata(changes) } })}\n`);
}

const complete: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { [meta.capabilities]: { roots: {}, sampling: {}, elicitation: {} } },
  { [meta.logLevel]: "debug", progressToken: 7 },
];

const broken: readonly Readonly<Record<string, unknown>>[] = [
  { [meta.version]: undefined },
  { [meta.version]: "1900-01-01" },
  { [meta.version]: 7 },
  { [meta.capabilities]: undefined },
  { [meta.capabilities]: [] },
];
