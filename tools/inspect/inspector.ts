import { randomUUID } from "node:crypto";
import { isObject, type Extension, type Revision } from "../../generated/support.ts";
import { revisions as allRevisions } from "../../generated/revisions.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import { errorCodes, isCapabilityError, isPeerError } from "../../runtime/jsonrpc/errors.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { createGateway, type Gateway, type TrafficEntry, type UpstreamTarget } from "../../runtime/gateway/index.ts";
import { knownExtensions } from "../../runtime/gateway/extensions.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { explainCause, UserError } from "../../generator/internal/user-error.ts";
import { EventStreams } from "./event-stream.ts";
import { InputRequests } from "./input-requests.ts";
import { runRequest, textOf } from "./operations.ts";
import type { InspectorEvent, InspectorState, RevisionSummary, ShownError, TimelineEntry } from "./page-messages.ts";
import { servePage } from "./page-server.ts";
import { Sessions } from "./sessions.ts";
import { TrafficLog } from "./traffic-log.ts";

/** Target of an inspection, and port of the page. */
export interface InspectorOptions {
  /** Name of the server on the page: its address or command, without secrets. */
  readonly target: string;
  /** Port of the page on this machine. Default: any free port. */
  readonly port?: number;
  /** Revisions to choose from. Default: all. */
  readonly revisions?: readonly Revision[];
  /** Extensions to use with servers that declare them. Default: the ones of this package. */
  readonly extensions?: readonly Extension[];
  /** Receives every message, in addition to the page. */
  readonly onTraffic?: (entry: TrafficEntry) => void;
  /** Aborted to stop the connection to the server while it is being opened. */
  readonly signal?: AbortSignal;
}

/** Inspector of one server: a page on this machine. */
export interface Inspector {
  /** Address of the page. It contains a token: only a browser with this address may use the page. */
  readonly url: string;
  /** Creates an address for a program that opens the page. It works once. */
  createEntrance(): string;
  /** Gateway through which the page connects to the server. */
  readonly gateway: Gateway;
  /** Shows a piece of the server's output on the page. */
  addOutput(text: string): void;
  close(): Promise<void>;
}

/**
 * Connects to a server, and serves a page with which a person can call it at every revision and see every message.
 *
 * @throws {Error} when the server cannot be reached, or the port cannot be used
 */
export async function startInspector(
  server: UpstreamTarget | ConnectionFactory,
  options: InspectorOptions,
): Promise<Inspector> {
  const { revisions = allRevisions, extensions = knownExtensions, signal, onTraffic } = options;
  const log = new TrafficLog();
  const streams = new EventStreams();
  const batch = createBatch((entries) => streams.send({ kind: "traffic", entries }));
  const gateway = await createGateway(server, {
    revisions,
    extensions,
    onTraffic(entry) {
      batch.add(log.add(entry));
      onTraffic?.(entry);
    },
    ...(signal && { signal }),
  });
  const output = new OutputTail();
  const input = new InputRequests(() => streams.send({ kind: "input", requests: input.list }));
  const sessions = new Sessions({
    gateway,
    revisions,
    extensions,
    input,
    onChange: () => streams.send({ kind: "state", state: readState() }),
    onListChanged: (protocol, list) => streams.send({ kind: "list-changed", protocol, list }),
  });
  const summaries = revisions.map(toSummary);
  const readState = (): InspectorState => ({
    version: packageVersion(),
    target: options.target,
    spoken: gateway.revision.id,
    revisions: summaries,
    sessions: sessions.states,
    roots: sessions.roots,
  });
  const send = (event: InspectorEvent): void => {
    // The messages of a call come before its result.
    batch.flush();
    streams.send(event);
  };
  const commands = createCommands({ sessions, input, send });
  const views = new Map<string, string>();
  const closeAll = async (): Promise<void> => {
    await sessions.closeAll();
    await gateway.close();
  };
  try {
    const page = await servePage(
      {
        openEvents(response) {
          batch.flush();
          streams.open(response, [
            { kind: "reset" },
            { kind: "state", state: readState() },
            ...chunk(log.entries, entriesPerEvent).map((entries) => ({ kind: "traffic", entries }) as const),
            { kind: "input", requests: input.list },
            { kind: "output", text: output.text },
          ]);
        },
        runCommand: (kind, body) => (kind === "view" ? { path: addView(views, body.html) } : commands(kind, body)),
        takeView(id) {
          const html = views.get(id);
          views.delete(id);
          return html;
        },
      },
      options.port === undefined ? {} : { port: options.port },
    );
    return {
      url: page.url,
      createEntrance: () => page.createEntrance(),
      gateway,
      addOutput(text) {
        output.add(text);
        streams.send({ kind: "output", text });
      },
      async close() {
        batch.flush();
        streams.close();
        await page.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Parts of an inspector for commands of the page. */
interface CommandParts {
  readonly sessions: Sessions;
  readonly input: InputRequests;
  send(event: InspectorEvent): void;
}

type Commands = (kind: string, body: Readonly<Record<string, unknown>>) => unknown;

/** Creates a function to run the commands of the page. It throws an error for an impossible command. */
function createCommands({ sessions, input, send }: CommandParts): Commands {
  const running = new Map<string, AbortController>();
  const request = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    const [command, protocol, method] = [textOf(body.id), textOf(body.protocol), textOf(body.method)];
    const params = isObject(body.params) ? body.params : {};
    const abort = new AbortController();
    running.set(command, abort);
    try {
      const session = await sessions.open(protocol);
      const result = await runRequest(
        session,
        { method, params, isRaw: body.isRaw === true },
        { signal: abort.signal, onProgress: (progress) => send({ kind: "progress", command, progress }) },
      );
      if (method === "logging/setLevel") sessions.keepLogLevel(protocol, textOf(params.level));
      send({ kind: "result", command, result });
    } catch (error) {
      const isCancelled = abort.signal.aborted;
      send({ kind: "error", command, error: isCancelled ? { message: "The request was cancelled." } : toShown(error) });
    } finally {
      running.delete(command);
    }
  };
  return (kind, body) => {
    switch (kind) {
      case "request":
        // Not awaited: its result is an event.
        return void request(body);
      case "cancel":
        return running.get(textOf(body.id))?.abort();
      case "connect":
        // Not awaited: a failure is part of the state.
        return void sessions.open(textOf(body.protocol)).catch(() => {});
      case "disconnect":
        return sessions.close(textOf(body.protocol));
      case "input":
        return input.respond(typeof body.id === "number" ? body.id : NaN, {
          ...(isObject(body.response) && { response: body.response }),
          ...(typeof body.rejection === "string" && { rejection: body.rejection }),
        });
      case "roots":
        return sessions.setRoots(Array.isArray(body.roots) ? body.roots.map(textOf) : []);
      default:
        throw new UserError("The command of the page is unknown; load the page again.");
    }
  };
}

function addView(views: Map<string, string>, html: unknown): string {
  const id = randomUUID();
  setLimited(views, [id, textOf(html)], mostViews);
  return `/view/${id}`;
}

/** Documents waiting for their frame. */
const mostViews = 20;

function toSummary({ id, lifecycle, clientRequests }: Revision): RevisionSummary {
  return { id, lifecycle, methods: Object.keys(clientRequests) };
}

function toShown(error: unknown): ShownError {
  if (isCapabilityError(error)) return { message: error.message, isMissing: true };
  if (!isPeerError(error)) return { message: explainCause(error) };
  const { message, code, data } = error;
  const isMissing = code === errorCodes.methodNotFound;
  return { message, code, ...(isMissing && { isMissing }), ...(data !== undefined && { data }) };
}

/** Collects messages for a moment, because thousands may arrive within a second. */
function createBatch(send: (entries: readonly TimelineEntry[]) => void): {
  add(entry: TimelineEntry): void;
  flush(): void;
} {
  let waiting: TimelineEntry[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) send(entries);
  };
  return {
    add(entry) {
      waiting.push(entry);
      timer ??= setTimeout(flush, 50).unref();
    },
    flush,
  };
}

const entriesPerEvent = 500;

function chunk<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** End of the server's output on stderr. */
class OutputTail {
  text = "";

  add(text: string): void {
    this.text = (this.text + text).slice(-longestOutput);
  }
}

const longestOutput = 256 * 1024;
