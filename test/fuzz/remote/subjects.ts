import { once } from "node:events";
import { createInterface } from "node:readline";
import { isObject } from "../../../generated/support.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import type { Subject, SubjectWire } from "../conversation.ts";
import { maxMessageBytes } from "../lines.ts";
import { OutcomeChecker } from "../outcome-checker.ts";
import { startRemote, type RemoteProcess } from "./process.ts";
import type { FuzzRevision } from "../revision.ts";
import type { Script } from "../steps.ts";
import { clientCapabilities, prepare } from "../subjects.ts";
import { expectLine, type ExpectedOutcome, type Receiver } from "../expected-outcome.ts";
import { parseSent } from "../parse-json.ts";

/* The everything example in a process of its own, over its standard streams or over HTTP. */

/** Command that starts a server. */
export interface RemoteServer {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names and URIs that exist there. Default: those of the everything example. */
  readonly things?: readonly string[];
}

/** Options of `run` that the rules of the checker suppose. */
export const remoteOptions = { limits: { maxMessageBytes } };

/** Names for calls. Left out are tools of any duration, and those that fail in a way of their own, such as a prompt without a response. */
export const things: readonly string[] = [
  ...["test_simple_text", "test_image_content", "test_error_handling", "json_schema_2020_12_tool", "greet"],
  ...["test_sampling", "test_elicitation", "test_roots", "multi_input", "touch_watched_resource", "announce_changes"],
  ...["test_input_required_result_multiple_inputs", "test_input_required_result_multi_round", "test_tool_with_task"],
  ...["test://static-text", "test://watched-resource", "test://template/1/data", "ui://everything/clock"],
  ...["test_simple_prompt", "test_prompt_with_arguments"],
];

/** Starts a server for each conversation. */
export async function createStdioSubject(
  server: RemoteServer,
  script: Script,
  revisions: readonly FuzzRevision[],
): Promise<Subject> {
  const { close, ...wired } = openStdioServer(server);
  const { fuzz, declared } = await open(wired, script, revisions);
  return toSubject({ ...wired, close }, { fuzz, role: "server", declared }, server.things);
}

/** Starts a server, and returns the connection to its standard streams. */
export function openStdioServer({
  args,
  env,
}: RemoteServer): Opened & { readonly close: () => Promise<readonly string[]> } {
  const remote = startRemote(args, env);
  const { stdin, stdout } = remote;
  // A server that has ended is noticed at the end.
  stdin.on("error", () => {});
  const sent: unknown[] = [];
  const barriers = new Map<unknown, () => void>();
  let last = 0;
  createInterface({ input: stdout }).on("line", (line) => {
    const message = parseSent(line);
    const passed = isObject(message) ? barriers.get(message.id) : undefined;
    if (passed) passed();
    else sent.push(message);
  });
  const wire: SubjectWire = {
    sent,
    write: (bytes) => void stdin.write(bytes),
    post: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
  };
  const settle = (): Promise<void> =>
    new Promise((resolve) => {
      const id = `barrier ${(last += 1)}`;
      const timer = setTimeout(resolve, patience);
      barriers.set(id, () => {
        clearTimeout(timer);
        resolve();
      });
      // Begins with the end of a line that was never ended.
      stdin.write(`\n${JSON.stringify({ jsonrpc: "2.0", id, method: "fuzz/barrier" })}\n`);
    });
  return { wire, settle, close: () => remote.end() };
}

/** Milliseconds after which a server hangs. */
const patience = 20_000;

/** Opens a session of its own for each conversation with one server. Default names: those of the everything example. */
export async function createHttpSubject(
  url: string,
  script: Script,
  revisions: readonly FuzzRevision[],
  names: readonly string[] = things,
): Promise<Subject> {
  const wire = new HttpWire(url);
  const settle = (): Promise<void> => wire.settle();
  const { fuzz, declared } = await open({ wire, settle }, script, revisions);
  const receiver = { fuzz, role: "server", declared, isHttp: true } as const;
  wire.listen(receiver);
  return toSubject({ wire, settle, close: () => wire.close() }, receiver, names);
}

/** Returns the address of a server over HTTP when it listens. */
export async function readUrl({ child, stderr }: RemoteProcess): Promise<string> {
  let said = "";
  for (;;) {
    const [text]: unknown[] = await Promise.race([
      once(stderr, "data"),
      once(child, "close").then(() => Promise.reject(new Error(`It does not listen: ${said}`))),
    ]);
    said += String(text);
    const [url] = /http:\S+/.exec(said) ?? [];
    if (url !== undefined) return url;
  }
}

/** Connection to a server in another process. */
interface Opened {
  readonly wire: SubjectWire;
  readonly settle: () => Promise<void>;
}

async function open(
  { wire, settle }: Opened,
  script: Script,
  revisions: readonly FuzzRevision[],
): Promise<{ readonly fuzz: FuzzRevision; readonly declared: Receiver["declared"] }> {
  const { fuzz } = prepare(script, revisions);
  const client = script.isOpen ? clientCapabilities : {};
  wire.post(initialize(fuzz.revision.id, client));
  while (wire.sent.length === 0) await settle();
  wire.post(initialized);
  await settle();
  const [opening] = wire.sent.splice(0);
  const result = isObject(opening) && isObject(opening.result) ? opening.result : {};
  return { fuzz, declared: { server: result.capabilities ?? {}, client } };
}

function toSubject(
  { close, ...wired }: Opened & { readonly close: () => Promise<readonly string[]> },
  receiver: Receiver,
  names: readonly string[] = things,
): Subject {
  // -32601: a tool that does not run as a task was called as one, or the reverse.
  const leeway = {
    codes: [-32602, -32002, -32601],
    hanging: new Set<never>(),
    stopped: new Set<never>(),
    isExact: true,
  };
  return { ...wired, receiver, things: names, checker: new OutcomeChecker(receiver, leeway), close };
}

/** Each line is the body of a POST. Everything that arrives on any stream was sent by the server. */
class HttpWire implements SubjectWire {
  readonly sent: unknown[] = [];
  readonly #url: string;
  readonly #problems: string[] = [];
  readonly #closing = new AbortController();
  #receiver: Receiver | undefined;
  #session: Readonly<Record<string, string>> = {};
  #rest: Uint8Array = new Uint8Array();
  /** The head of each response comes before the next request: messages have an order. */
  #turn: Promise<void> = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  write(bytes: Uint8Array): void {
    const lines = Buffer.concat([this.#rest, bytes]);
    let start = 0;
    for (let end = lines.indexOf(lineFeed); end !== -1; end = lines.indexOf(lineFeed, start)) {
      this.#send(lines.subarray(start, end));
      start = end + 1;
    }
    this.#rest = lines.subarray(start);
  }

  post(message: unknown): void {
    this.#send(Buffer.from(JSON.stringify(message)));
  }

  async settle(): Promise<void> {
    await this.#turn;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** Opens the stream of the session. */
  listen(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#session = { ...this.#session, "mcp-protocol-version": receiver.fuzz.revision.id };
    const headers = { ...this.#session, accept: "text/event-stream" };
    void this.#fetch({ headers }).then((response) => response && this.#read(response));
  }

  async close(): Promise<readonly string[]> {
    await this.#turn;
    await this.#fetch({ method: "DELETE", headers: this.#session });
    this.#closing.abort();
    return this.#problems;
  }

  #send(line: Uint8Array): void {
    // Empty lines have no meaning outside of streams.
    const isBlank = line.every((byte) => byte === 0x0d) || Buffer.from(line).toString() === "\ufeff";
    if (!isBlank) this.#turn = this.#turn.then(() => this.#post(line));
  }

  async #post(line: Uint8Array): Promise<void> {
    const headers = {
      ...this.#session,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const responding = this.#fetch({ method: "POST", headers, body: Buffer.from(line) }).then((response) => {
      if (!response) return;
      const session = response.headers.get("mcp-session-id");
      if (session !== null) this.#session = { ...this.#session, "mcp-session-id": session };
      if (response.status >= 500) this.#problems.push(`status ${response.status} to ${Buffer.from(line).toString()}`);
      // HTTP always has a response: messages that get none elsewhere are rejected without an id.
      void (response.status === 400 && this.#hasNoResponse(line) ? this.#skip(response, line) : this.#read(response));
    });
    // Calls with late responses delay nothing.
    await Promise.race([responding, new Promise((resolve) => setTimeout(resolve, 100))]);
  }

  #hasNoResponse(line: Uint8Array): boolean {
    return this.#receiver !== undefined && hasNoResponse(expectLine(line, this.#receiver));
  }

  async #skip(response: Response, line: Uint8Array): Promise<void> {
    const message = parseSent(await response.text().catch(() => ""));
    if (isObject(message) && "id" in message) this.sent.push(message);
    else if (!isObject(message) || !isObject(message.error))
      this.#problems.push(`${JSON.stringify(message)} to ${Buffer.from(line).toString()}`);
  }

  async #fetch(init: RequestInit): Promise<Response | undefined> {
    try {
      return await fetch(this.#url, { ...init, signal: this.#closing.signal });
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#problems.push(`no response: ${String(error)}`);
      return undefined;
    }
  }

  async #read(response: Response): Promise<void> {
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (isStream) text = this.#readEvents(text);
      }
    } catch {
      // The conversation is over.
      return;
    }
    if (!isStream && text !== "") this.sent.push(parseSent(text));
  }

  /** Reads whole events. Returns the remaining text. */
  #readEvents(text: string): string {
    const events = text.split("\n\n");
    const rest = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      if (data.length > 0 && data.join("") !== "") this.sent.push(parseSent(data.join("\n")));
    }
    return rest;
  }
}

/** True if a message, or each member of a batch, gets no response of its own. */
function hasNoResponse(outcome: ExpectedOutcome): boolean {
  if (outcome.kind === "batch") return outcome.members.every(hasNoResponse);
  return outcome.kind === "nothing" || outcome.kind === "cancellation" || outcome.kind === "response";
}

const lineFeed = 0x0a;
