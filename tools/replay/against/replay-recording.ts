import { setTimeout as pause } from "node:timers/promises";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { findMethod } from "../../../runtime/protocol/methods/method-rows.ts";
import type { RequestId } from "../../../runtime/jsonrpc/message.ts";
import type { ContractChange } from "../../../generator/typed-client/contract/impact.ts";
import { withoutOpening, type RecordedMessage, type Recording } from "../recording.ts";
import { hasRedacted, MessageRedactor } from "../redact-message.ts";
import { compareNotifications } from "./compare-notifications.ts";
import { compareValues, findReplacements, replaceTexts, type CompareOptions } from "./compare-values.ts";
import type { ForeignMembers } from "./foreign-members.ts";
import { InputNames } from "./input-names.ts";
import { LiveConnection, type LiveOutcome, type RecordedInput } from "./live-connection.ts";
import { describeSubject, toChange, toOutcomeChange } from "./report-changes.ts";

/** Options of the replay of a recording. */
export interface ReplayOptions extends CompareOptions {
  readonly recording: Recording;
  /** Opens connections to the live server, at the revision of the recording. */
  readonly open: ConnectionFactory;
  /** Milliseconds to wait for each response. */
  readonly timeout: number;
  /** Members of only one of the two revisions, if the server is called at another revision than the recorded one. */
  readonly foreign?: ForeignMembers;
}

/** Differences between a recorded server and a live one. */
export interface ReplayReport {
  readonly changes: readonly ContractChange[];
  /** Number of requests whose responses were compared. */
  readonly compared: number;
  /** Requests not sent, with the reason. */
  readonly skipped: readonly string[];
}

/** Sends the recorded messages of clients to a live server, in the recorded order, and compares what the server sends. */
export async function replayRecording(options: ReplayOptions): Promise<ReplayReport> {
  const replay = new Replay(options);
  try {
    for (const message of options.recording.messages) await replay.take(message);
    await replay.finish();
    return replay.report;
  } finally {
    await replay.close();
  }
}

interface SentRequest {
  readonly method: string;
  readonly params: unknown;
  readonly outcome: Promise<LiveOutcome>;
  repeat(): Promise<LiveOutcome>;
  cancel(): void;
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #connections = new Map<string, LiveConnection>();
  /** Requests without a recorded response so far, by connection and recorded id. */
  readonly #sent = new Map<string, SentRequest>();
  /** Live texts by their recorded counterparts. */
  readonly #replacements = new Map<string, string>();
  readonly #responses: ReadonlyMap<string, RecordedResponse>;
  readonly #redactor: MessageRedactor;
  readonly #changes: ContractChange[] = [];
  readonly #skipped: string[] = [];
  readonly #names = new InputNames();
  #compared = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#responses = indexResponses(options.recording.messages);
    this.#redactor = new MessageRedactor(options.recording.header.redacted);
  }

  get report(): ReplayReport {
    // Lists are often read several times.
    const changes = [...new Map(this.#changes.map((change) => [JSON.stringify(change), change])).values()];
    return { changes, compared: this.#compared, skipped: this.#skipped };
  }

  /** Takes the next recorded message: sends it, or waits for its live counterpart. */
  async take({ connection, direction, incoming, time }: RecordedMessage): Promise<void> {
    const isOfClient = direction === "to-server";
    switch (incoming.kind) {
      case "request":
        return isOfClient ? this.#takeRequest(connection, incoming) : undefined;
      case "notification":
        return isOfClient ? this.#takeNotification(connection, incoming) : undefined;
      case "result":
      case "error":
        if (isOfClient && incoming.id !== undefined)
          return this.#connections
            .get(connection)
            ?.waitForInput(incoming.id, Math.min(this.#options.timeout, longestWait));
        return this.#takeResponse(connection, incoming, time);
      case "invalid":
      case "unusable":
        return;
      default:
        return incoming satisfies never;
    }
  }

  /**
   * Compares what belongs to no single request.
   *
   * @throws {UserError} when the recording does not contain how a connection is opened: nothing was compared then
   */
  async finish(): Promise<void> {
    const { recording } = this.#options;
    if (this.#connections.size === 0) throw withoutOpening(recording.path);
    for (const [name, live] of this.#connections) {
      const recorded = recording.messages.flatMap(({ connection, direction, incoming, time }) =>
        connection === name && direction === "to-client" && incoming.kind === "notification"
          ? [{ method: incoming.method, params: incoming.params, sent: time }]
          : [],
      );
      const changes = await compareNotifications(recorded, live.notifications, {
        ignoredOf: (method) => this.#ignoredInParams(method),
        redact: (params) => this.#redactor.redactValue(params),
      });
      this.#changes.push(...changes);
      for (const { method, params } of live.missingInputs) {
        const subject = describeSubject(method, params);
        this.#changes.push({
          kind: "removed",
          subject,
          detail: "the server does not send this request",
          client: "risky",
          server: "neutral",
        });
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  async #takeRequest(
    connection: string,
    { id, method, params }: { readonly id: RequestId; readonly method: string; readonly params: unknown },
  ): Promise<void> {
    const { revision } = this.#options.recording;
    if (method === openingOf(revision)) return this.#open(connection, id, params);
    const live = this.#connections.get(connection);
    if (!live || ownMethods.has(method)) return;
    const translated = this.#names.toLive(method, replaceTexts(params, this.#replacements));
    const subject = describeSubject(method, params);
    if (hasRedacted(translated)) return void this.#skipped.push(`${subject}: a value was redacted`);
    const abort = new AbortController();
    const send = (): Promise<LiveOutcome> => live.request(method, translated, abort.signal);
    const outcome = send();
    // Requests that end with the connection are never compared.
    outcome.catch(() => {});
    if (findMethod(revision.clientRequests, method)?.duration === "endless") return;
    this.#sent.set(toKey(connection, id), { method, params, outcome, repeat: send, cancel: () => abort.abort() });
  }

  async #open(connection: string, id: RequestId, opening: unknown): Promise<void> {
    const { open, timeout, recording, foreign, isIgnored } = this.#options;
    const { revision } = recording;
    const response = this.#responses.get(toKey(connection, "to-client", id));
    // The recorded server has rejected it. The recorded client has then opened the connection in another way.
    if (this.#connections.has(connection) || response?.kind !== "result") return;
    const live = new LiveConnection({
      open,
      revision,
      opening,
      timeout,
      inputs: this.#findInputs(connection),
      translate: (value) => replaceTexts(value, this.#replacements),
      onInput: ({ method, params, recorded }) => this.#compareInput(method, params, recorded),
    });
    const opened = await live.open();
    this.#connections.set(connection, live);
    if (foreign) return this.#setLevel(live, connection);
    const [before, after] = [response.result, this.#redactor.redactValue(opened)].map(withoutIdentity);
    const differences = compareValues(before, after, { isIgnored });
    this.#changes.push(...differences.map((difference) => toChange(openingOf(revision), difference)));
  }

  /**
   * Sets the level of log messages, if the recorded client has received some without setting one. Servers of revisions without sessions send none
   * then.
   */
  async #setLevel(live: LiveConnection, connection: string): Promise<void> {
    const { messages, revision } = this.#options.recording;
    const own = messages.filter((one) => one.connection === connection).map(({ incoming }) => incoming);
    const level = findLogLevel(own, revision);
    if (level === undefined || findMethod(revision.clientRequests, setLevel) === undefined) return;
    if (own.some((one) => one.kind === "request" && one.method === setLevel)) return;
    await live.request(setLevel, { level }, new AbortController().signal);
  }

  async #takeNotification(
    connection: string,
    { method, params }: { readonly method: string; readonly params: unknown },
  ): Promise<void> {
    if (ownMethods.has(method)) return;
    if (method === "notifications/cancelled") {
      const id = isObject(params) ? params.requestId : undefined;
      this.#sent.get(toKey(connection, id))?.cancel();
      return;
    }
    await this.#connections.get(connection)?.notify(method, replaceTexts(params, this.#replacements));
  }

  async #takeResponse(connection: string, recorded: RecordedResponse, time: number): Promise<void> {
    const key = toKey(connection, recorded.id);
    const sent = this.#sent.get(key);
    this.#sent.delete(key);
    if (!sent) return;
    const live = await this.#waitFor(sent, recorded);
    if (isOfRunningTask(sent.method, recorded)) return;
    this.#compared += 1;
    const subject = describeSubject(sent.method, sent.params);
    const before = recorded.kind === "result" ? recorded.result : recorded.error;
    if (live.kind !== recorded.kind) {
      this.#changes.push(toOutcomeChange(subject, recorded, live));
      return;
    }
    const after =
      live.kind === "result"
        ? this.#names.toRecorded(sent.method, sent.params, { recorded: before, live: live.result })
        : live.error;
    findReplacements(before, after, (from, to) => this.#replacements.set(from, to));
    const shown = live.kind === "result" ? this.#redactor.redactValue(after, sent) : this.#redactError(after);
    const isIgnored = live.kind === "result" ? this.#ignoredInResult(sent.method) : this.#options.isIgnored;
    const differences = compareValues(before, shown, { isIgnored, sent: { recorded: time, live: Date.now() } });
    this.#changes.push(...differences.map((difference) => toChange(subject, difference)));
  }

  /** Waits for an outcome. If the task has ended in the recording, it gets time to end. */
  async #waitFor(sent: SentRequest, recorded: RecordedMessage["incoming"]): Promise<LiveOutcome> {
    const end = Date.now() + this.#options.timeout;
    let live = await sent.outcome;
    while (!isOfRunningTask(sent.method, recorded) && isOfRunningTask(sent.method, live) && Date.now() < end) {
      await pause(pollInterval);
      live = await sent.repeat();
    }
    return live;
  }

  #redactError(error: unknown): unknown {
    const redacted = this.#redactor.redact({ error });
    return isObject(redacted) ? redacted.error : undefined;
  }

  #ignoredInResult(method: string): CompareOptions["isIgnored"] {
    const { recording, isIgnored, foreign } = this.#options;
    const isForeign = foreign?.ofResult(method);
    const reserved = recording.revision.reservedMeta.map(({ key }) => key);
    return (path) => {
      const [first, key] = path;
      // Metadata of the protocol itself: name and version of the server.
      if (path.length === 2 && first === "_meta" && typeof key === "string" && reserved.includes(key)) return true;
      return isIgnored(path) || isForeign?.(path) === true;
    };
  }

  #ignoredInParams(method: string): CompareOptions["isIgnored"] {
    const { isIgnored, foreign } = this.#options;
    const isForeign = foreign?.ofParams(method);
    return (path) => isIgnored(path) || isForeign?.(path) === true;
  }

  /** Lists the recorded requests of the server on a connection, with the responses of the client. */
  #findInputs(connection: string): readonly RecordedInput[] {
    return this.#options.recording.messages.flatMap((message): readonly RecordedInput[] => {
      const { direction, incoming, time } = message;
      if (message.connection !== connection || direction !== "to-client" || incoming.kind !== "request") return [];
      const { id, method, params } = incoming;
      if (method === "ping") return [];
      return [{ id, method, params, sent: time, response: this.#responses.get(toKey(connection, "to-server", id)) }];
    });
  }

  #compareInput(method: string, params: unknown, recorded: RecordedInput | undefined): void {
    const subject = describeSubject(method, params);
    if (!recorded) {
      const detail = "the server sends a request that was not recorded";
      this.#changes.push({ kind: "added", subject, detail, client: "risky", server: "neutral" });
      return;
    }
    findReplacements(recorded.params, params, (from, to) => this.#replacements.set(from, to));
    const ignored = this.#ignoredInParams(method);
    const differences = compareValues(recorded.params ?? {}, this.#redactor.redactValue(params ?? {}), {
      isIgnored: (path) => path[0] === "_meta" || ignored(path),
      sent: { recorded: recorded.sent, live: Date.now() },
    });
    this.#changes.push(...differences.map((difference) => toChange(subject, difference)));
  }
}

/** Messages sent by the connection itself. */
const ownMethods: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "ping",
  "notifications/initialized",
  "notifications/progress",
]);

/** True for the state of a running task, which depends on the time of the request. */
function isOfRunningTask(method: string, response: { readonly kind: string; readonly result?: unknown }): boolean {
  return method === "tasks/get" && isObject(response.result) && response.result.status === "working";
}

/** Milliseconds between two requests for the state of a task. */
const pollInterval = 50;

/** Maximum milliseconds to wait for a request of the server. */
const longestWait = 2_000;

const setLevel = "logging/setLevel";

/** Returns the least severe level of the log messages among some messages. */
function findLogLevel(messages: readonly RecordedMessage["incoming"][], { logLevels }: Revision): string | undefined {
  const sent = messages.flatMap((one) =>
    one.kind === "notification" && one.method === "notifications/message" && isObject(one.params)
      ? [one.params.level]
      : [],
  );
  return logLevels.find((level) => sent.includes(level));
}

function openingOf({ lifecycle }: Revision): string {
  return lifecycle === "handshake" ? "initialize" : "server/discover";
}

function toKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

type RecordedResponse = Extract<RecordedMessage["incoming"], { readonly kind: "result" | "error" }>;

/** Returns the recorded responses by connection, direction and id. Of several with the same id, the first counts. */
function indexResponses(messages: readonly RecordedMessage[]): ReadonlyMap<string, RecordedResponse> {
  const responses = new Map<string, RecordedResponse>();
  for (const { connection, direction, incoming } of messages) {
    if (incoming.kind !== "result" && incoming.kind !== "error") continue;
    const key = toKey(connection, direction, incoming.id);
    if (!responses.has(key)) responses.set(key, incoming);
  }
  return responses;
}

/** Removes what identifies a server, which another version of it changes. */
function withoutIdentity(result: unknown): unknown {
  if (!isObject(result)) return result;
  const { serverInfo: _info, protocolVersion: _version, supportedVersions: _supported, _meta, ...rest } = result;
  return rest;
}
