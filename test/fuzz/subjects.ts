import { connect, type ClientConnection } from "../../runtime/client/connect.ts";
import { createAcceptor } from "../../runtime/lifecycle/acceptor.ts";
import type { Timeouts } from "../../runtime/jsonrpc/limits.ts";
import type { Capabilities } from "../../runtime/protocol/session/session.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { isObject, type Revision } from "../../generated/support.ts";
import { createRandom, isHit, pick, type Random } from "../kit/random.ts";
import { mutate } from "../oracle/mutations.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { awaitSent, type FuzzConnection, type OpenFuzzConnection, type Subject } from "./conversation.ts";
import { openInMemory } from "./fuzz-wire.ts";
import { createHandlers, ownCode } from "./handlers.ts";
import { OutcomeChecker } from "./outcome-checker.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Script } from "./steps.ts";
import type { Receiver, Id } from "./expected-outcome.ts";

/** A server whose handlers do everything that handlers should not, with the handshake done. */
export async function createServerSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { fuzz, written, random, spoken } = prepare(script, revisions);
  const responding = { hanging: new Set<Id>(), stopped: new Set<Id>() };
  const { channel, close, ...wired } = await open("server");
  const { wire, settle: settleWire = settle } = wired;
  const declared = { server: script.isOpen ? serverCapabilities : {}, client: script.isOpen ? clientCapabilities : {} };
  const receiver: Receiver = { fuzz, role: "server", declared };
  const connection = createAcceptor({
    info: { name: "fuzzed", version: "1" },
    revisions: spoken,
    capabilities: declared.server,
    handlers: createHandlers({ written, spoken: fuzz, role: "server", random, ...responding }),
    timeouts,
  })(channel);
  wire.post(initialize(fuzz.revision.id, declared.client));
  await awaitSent(wired);
  wire.post(initialized);
  await settleWire();
  wire.sent.length = 0;
  const checker = new OutcomeChecker(receiver, { codes: [-32603, ownCode], ...responding, isExact: false });
  return { ...wired, checker, receiver, things: [], close: () => connection.close().then(() => close?.() ?? []) };
}

/** A client whose handlers do everything that handlers should not, with the handshake done, that calls all the while. */
export async function createClientSubject(
  script: Script,
  revisions: readonly FuzzRevision[],
  open: OpenFuzzConnection = openInMemory,
): Promise<Subject> {
  const { fuzz, written, random, spoken } = prepare(script, revisions);
  const responding = { hanging: new Set<Id>(), stopped: new Set<Id>() };
  const { channel, close, ...wired } = await open("client");
  const { wire, settle: settleWire = settle } = wired;
  const declared = { server: script.isOpen ? serverCapabilities : {}, client: script.isOpen ? clientCapabilities : {} };
  const receiver: Receiver = { fuzz, role: "client", declared };
  const connecting = connect(channel, {
    info: { name: "fuzzed", version: "1" },
    revisions: spoken,
    capabilities: declared.client,
    handlers: createHandlers({ written, spoken: fuzz, role: "client", random, ...responding }),
    timeouts,
  });
  await respondToHandshake(wired, fuzz, declared.server);
  const connection = await connecting;
  await settleWire();
  wire.sent.length = 0;
  const calls = new Calls(connection, fuzz, random);
  return {
    ...wired,
    checker: new OutcomeChecker(receiver, { codes: [-32603, ownCode], ...responding, isExact: false }),
    receiver,
    things: [],
    use: () => calls.make(),
    close: () => connection.close().then(async () => [...(await calls.conclude()), ...((await close?.()) ?? [])]),
  };
}

/** Everything that may be declared. */
export const serverCapabilities: Capabilities = {
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

/** Everything that may be declared. */
export const clientCapabilities: Capabilities = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

/** Responds to `initialize` of a client. */
export async function respondToHandshake(
  wired: Pick<FuzzConnection, "wire" | "settle">,
  { revision }: FuzzRevision,
  capabilities: Capabilities,
): Promise<void> {
  await awaitSent(wired);
  const { wire } = wired;
  const [request] = wire.sent.splice(0);
  const result = { protocolVersion: revision.id, capabilities, serverInfo: { name: "s", version: "1" } };
  wire.post({ jsonrpc: "2.0", id: isObject(request) ? request.id : 0, result });
}

/** Nothing ends by itself. */
export const timeouts: Partial<Timeouts> = {
  handler: Infinity,
  request: Infinity,
  work: Infinity,
  wait: Infinity,
  total: Infinity,
  drain: 0,
};

/** Choices of a script for both peers. */
export interface Prepared {
  readonly fuzz: FuzzRevision;
  /** The revision that handlers are written for: the session's, or the newest. */
  readonly written: FuzzRevision;
  /** All that are spoken, the one that was written for first. */
  readonly spoken: readonly Revision[];
  readonly random: Random;
}

/** Reads a script. */
export function prepare({ seed, revision }: Script, revisions: readonly FuzzRevision[]): Prepared {
  const [newest] = revisions;
  const fuzz = revisions[revision] ?? newest;
  if (!newest || !fuzz) throw new Error("There is no revision to fuzz.");
  const random = createRandom(seed);
  const written = isHit(0.5, random) ? fuzz : newest;
  return { fuzz, written, random, spoken: revisions.slice(revisions.indexOf(written)).map((one) => one.revision) };
}

/** Calls of a client, each of which must end exactly once, and never with something invalid. */
class Calls {
  readonly #connection: ClientConnection;
  readonly #fuzz: FuzzRevision;
  readonly #random: Random;
  readonly #open = new Set<string>();
  readonly #problems: string[] = [];

  constructor(connection: ClientConnection, fuzz: FuzzRevision, random: Random) {
    this.#connection = connection;
    this.#fuzz = fuzz;
    this.#random = random;
  }

  make(): void {
    const methods = this.#fuzz.sentBy("client", "request").filter(({ name }) => name !== "initialize");
    const method = pick(methods, this.#random);
    const made = this.#fuzz.make(method, "params", this.#random);
    const params = isHit(0.2, this.#random) ? mutate(made, this.#random).value : made;
    const controller = new AbortController();
    const name = `${method.name} ${this.#open.size}`;
    this.#open.add(name);
    this.#connection
      .request(method.name, params, { signal: controller.signal, onProgress: () => this.#stumble() })
      .then(
        (result) => {
          if (this.#fuzz.isValid(method, "result", result)) return;
          this.#problems.push(`${name} resolved with ${JSON.stringify(result)}`);
        },
        (error: unknown) => {
          if (!(error instanceof Error)) this.#problems.push(`${name} rejected with ${String(error)}`);
        },
      )
      .finally(() => this.#open.delete(name));
    if (isHit(0.1, this.#random)) setImmediate(() => controller.abort(new Error("enough")));
  }

  async conclude(): Promise<readonly string[]> {
    await settle();
    return [...this.#problems, ...[...this.#open].map((name) => `${name} never ended`)];
  }

  #stumble(): void {
    if (isHit(0.3, this.#random)) throw new Error("A callback may throw.");
  }
}
