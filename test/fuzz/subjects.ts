import { connect, type ClientConnection } from "../../runtime/client/client.ts";
import { createAcceptor } from "../../runtime/lifecycle/handshake.ts";
import type { Capabilities } from "../../runtime/rpc/session.ts";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { isObject, type Role } from "../../generated/support.ts";
import { createRandom, isHit, pick, type Random } from "../oracle/random.ts";
import { mutate } from "../oracle/mutations.ts";
import { initialize, initialized } from "../runtime/rpc/wire.ts";
import type { Subject } from "./conversation.ts";
import { FuzzWire } from "./fuzz-wire.ts";
import { createHandlers, ownCode } from "./handlers.ts";
import { Referee } from "./referee.ts";
import type { FuzzRevision } from "./revision.ts";
import type { Script } from "./steps.ts";
import type { Hearing, Id } from "./verdict.ts";

/** A server whose handlers do everything that handlers should not, with the handshake done. */
export async function createServerSubject(script: Script, revisions: readonly FuzzRevision[]): Promise<Subject> {
  const { wire, random, hanging, hearing, referee, written } = prepare(script, revisions, "server");
  const { fuzz, isOpen } = hearing;
  const connection = createAcceptor({
    info: { name: "fuzzed", version: "1" },
    revisions: revisions.slice(revisions.indexOf(written)).map(({ revision }) => revision),
    capabilities: isOpen ? serverCapabilities : {},
    handlers: createHandlers({ written, spoken: fuzz, role: "server", random, hanging }),
    timeouts,
  })(wire);
  wire.post(initialize(fuzz.revision.id, isOpen ? clientCapabilities : {}), initialized);
  await settle();
  wire.sent.length = 0;
  return { wire, referee, hearing, things: [], close: () => connection.close().then(() => []) };
}

/** A client whose handlers do everything that handlers should not, with the handshake done, that calls all the while. */
export async function createClientSubject(script: Script, revisions: readonly FuzzRevision[]): Promise<Subject> {
  const { wire, random, hanging, hearing, referee, written } = prepare(script, revisions, "client");
  const { fuzz, isOpen } = hearing;
  const connecting = connect(wire, {
    info: { name: "fuzzed", version: "1" },
    revisions: revisions.slice(revisions.indexOf(written)).map(({ revision }) => revision),
    capabilities: isOpen ? clientCapabilities : {},
    handlers: createHandlers({ written, spoken: fuzz, role: "client", random, hanging }),
    timeouts,
  });
  await answerHandshake(wire, fuzz, isOpen ? serverCapabilities : {});
  const connection = await connecting;
  const calls = new Calls(connection, fuzz, random);
  return {
    wire,
    referee,
    hearing,
    things: [],
    use: () => calls.make(),
    async close() {
      await connection.close();
      return calls.conclude();
    },
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

/** Answers a client's `initialize`. */
export async function answerHandshake(wire: FuzzWire, { revision }: FuzzRevision, capabilities: Capabilities): Promise<void> {
  await settle();
  const [request] = wire.sent;
  const result = { protocolVersion: revision.id, capabilities, serverInfo: { name: "s", version: "1" } };
  wire.post({ jsonrpc: "2.0", id: isObject(request) ? request.id : 0, result });
  await settle();
  wire.sent.length = 0;
}

/** Nothing is to end by itself but closing. */
const timeouts = { handler: Infinity, request: Infinity, work: Infinity, wait: Infinity, total: Infinity, drain: 0 };

interface Prepared {
  readonly wire: FuzzWire;
  readonly random: Random;
  readonly hanging: Set<Id>;
  readonly hearing: Hearing;
  readonly referee: Referee;
  /** The revision that handlers are written for: the session's, or the newest. */
  readonly written: FuzzRevision;
}

function prepare({ seed, revision, isOpen }: Script, revisions: readonly FuzzRevision[], role: Role): Prepared {
  const [newest] = revisions;
  const fuzz = revisions[revision] ?? newest;
  if (!newest || !fuzz) throw new Error("There is no revision to fuzz.");
  const random = createRandom(seed);
  const hearing = { fuzz, role, isOpen };
  const hanging = new Set<Id>();
  const referee = new Referee(hearing, { codes: [-32603, ownCode], hanging, isExact: false });
  return { wire: new FuzzWire(), random, hanging, hearing, referee, written: isHit(0.5, random) ? fuzz : newest };
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
    const method = pick(this.#fuzz.sentBy("client", "request"), this.#random);
    const made = this.#fuzz.createMaker(this.#random)(method, "params");
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
