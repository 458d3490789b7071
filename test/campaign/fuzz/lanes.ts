import { openHostileEndpoints } from "../../fuzz/hostile/http.ts";
import { attack } from "../../fuzz/hostile/hostile.ts";
import { createDefinedServerSubject, createSessionSubject } from "../../fuzz/defined-subjects.ts";
import type { OpenFuzzConnection, Subject } from "../../fuzz/conversation.ts";
import type { CreateSubject } from "../../fuzz/fuzz.ts";
import { openInMemory } from "../../fuzz/fuzz-wire.ts";
import { fuzzStatelessHttp } from "../../fuzz/remote/stateless.ts";
import { createHttpSubject, createStdioSubject, openStdioServer } from "../../fuzz/remote/subjects.ts";
import type { FuzzRevision } from "../../fuzz/revision.ts";
import { createClientSubject, createServerSubject } from "../../fuzz/subjects.ts";
import type { Script } from "../../fuzz/steps.ts";
import { createRandom } from "../../kit/random.ts";
import { openStdioClient } from "./connections/stdio.ts";
import { openTcp } from "./connections/tcp.ts";
import { openWebSocket } from "./connections/websocket.ts";
import { createScript, runScript, type ConversationSize, type Outcome } from "./conversations.ts";
import { startHttpServer, toRemote } from "./server-program.ts";
import {
  createStatelessClientSubject,
  createStatelessServerSubject,
  toStatelessSubject,
} from "./stateless-subjects.ts";

/** Everything that lanes need. */
export interface Stage {
  /** Revisions with a handshake, newest first. */
  readonly sessions: readonly FuzzRevision[];
  /** Revisions without one. */
  readonly stateless: readonly FuzzRevision[];
  /** File of the bundled server. */
  readonly program: string;
  /** File that receives every message before it is sent, if a conversation is repeated to find the last one. */
  readonly trace?: string;
}

/** Conversations of one kind. */
export interface Conversations {
  /** Holds the conversation of a seed. */
  converse(seed: number): Promise<Outcome>;
  /** Ends what the conversations share. Returns the problems of its end. */
  close(): Promise<readonly string[]>;
}

/** Conversations over one transport with one kind of peer. */
export interface Lane {
  readonly transport: Transport;
  readonly role: "server" | "client";
  /** Kind of the tested peer. */
  readonly peer: string;
  readonly isStateless: boolean;
  /** Conversations at a time in one process. */
  readonly atOnce: number;
  readonly open: (stage: Stage) => Promise<Conversations>;
}

/** Transports, and the share of all messages of each in per cent. The slower ones have a fixed share. */
export const shares = { memory: 70, tcp: 10, websocket: 10, stdio: 6, http: 4 } as const;

type Transport = keyof typeof shares;

/** Peers in the process of the fuzzer. */
const peers = [
  { peer: "handlers", role: "server", isStateless: false, create: createServerSubject },
  { peer: "server", role: "server", isStateless: false, create: createDefinedServerSubject },
  { peer: "stateless-server", role: "server", isStateless: true, create: createStatelessServerSubject },
  { peer: "client", role: "client", isStateless: false, create: createClientSubject },
  { peer: "session", role: "client", isStateless: false, create: createSessionSubject },
  { peer: "stateless-client", role: "client", isStateless: true, create: createStatelessClientSubject },
] as const;

/** All lanes. */
export const lanes: readonly Lane[] = [
  ...peers.map((peer) => toLane(peer, "memory", openInMemory)),
  ...peers.map((peer) => toLane(peer, "tcp", openTcp)),
  ...peers.map((peer) => toLane(peer, "websocket", openWebSocket)),
  ...peers.filter(({ role }) => role === "client").map((peer) => toLane(peer, "stdio", openStdioClient)),
  {
    ...{ transport: "stdio", role: "server", peer: "server", isStateless: false, atOnce: 2 },
    open: ({ sessions, program, trace }) => {
      const server = toRemote(program, "sessions");
      const create: CreateSubject = (script, revisions) => createStdioSubject(server, script, revisions);
      return openScripts(create, { revisions: sessions, size: long, trace });
    },
  },
  {
    ...{ transport: "stdio", role: "server", peer: "stateless-server", isStateless: true, atOnce: 2 },
    open: ({ stateless, program, trace }) => {
      const create = (script: Script, revisions: readonly FuzzRevision[]): Promise<Subject> =>
        createStatelessStdioSubject(program, script, revisions);
      return openScripts(create, { revisions: stateless, size: long, trace });
    },
  },
  {
    ...{ transport: "http", role: "server", peer: "server", isStateless: false, atOnce: 6 },
    async open({ sessions, program, trace }) {
      const { url, close } = await startHttpServer(program, "sessions");
      const { things = [] } = toRemote(program, "sessions");
      const create: CreateSubject = (script, revisions) => createHttpSubject(url, script, revisions, things);
      return { ...(await openScripts(create, { revisions: sessions, size: medium, trace })), close };
    },
  },
  {
    ...{ transport: "http", role: "server", peer: "stateless-server", isStateless: true, atOnce: 4 },
    async open({ stateless, program }) {
      const [fuzz] = stateless;
      if (!fuzz) throw new Error("There is no stateless revision.");
      const { url, close } = await startHttpServer(program, "stateless");
      const messages = 200;
      return {
        converse: async (seed) => ({ messages, problems: await fuzzStatelessHttp(url, { fuzz, messages, seed }) }),
        close,
      };
    },
  },
  {
    ...{ transport: "http", role: "client", peer: "client", isStateless: false, atOnce: 1 },
    open: ({ sessions: revisions }) =>
      Promise.resolve({
        async converse(seed) {
          // An attack has conversations with the seeds that follow: those of the next one are others.
          const first = Math.floor(createRandom(seed)() * 2 ** 31);
          return attack(await openHostileEndpoints(), { revisions, messages: 500, seed: first, atOnce: 4 });
        },
        close: () => Promise.resolve([]),
      }),
  },
];

/** Returns the name of a lane, which the command line takes. */
export function nameOf({ transport, peer }: Lane): string {
  return `${transport}/${peer}`;
}

/** Conversations that cost nothing to open. */
const short: ConversationSize = { scripts: 1, together: 1 };
/** Conversations over a socket. */
const medium: ConversationSize = { scripts: 4, together: 4 };
/** Conversations with a process of their own. */
const long: ConversationSize = { scripts: 20, together: 4 };

function toLane(
  { create, ...facts }: (typeof peers)[number],
  transport: Transport,
  openConnection: OpenFuzzConnection,
): Lane {
  return {
    ...facts,
    transport,
    atOnce: transport === "memory" ? 1 : 4,
    open: ({ sessions, stateless, trace }) =>
      openScripts((script, revisions) => create(script, revisions, openConnection), {
        revisions: facts.isStateless ? stateless : sessions,
        size: transport === "memory" ? short : transport === "stdio" ? long : medium,
        trace,
      }),
  };
}

interface ScriptOptions {
  readonly revisions: readonly FuzzRevision[];
  readonly size: ConversationSize;
  readonly trace: string | undefined;
}

function openScripts(create: CreateSubject, { revisions, size, trace }: ScriptOptions): Promise<Conversations> {
  return Promise.resolve({
    converse: (seed) => runScript(create, { revisions, script: createScript(seed, revisions.length, size), trace }),
    close: () => Promise.resolve([]),
  });
}

async function createStatelessStdioSubject(
  program: string,
  script: Script,
  revisions: readonly FuzzRevision[],
): Promise<Subject> {
  const { close, ...wired } = openStdioServer(toRemote(program, "stateless"));
  return { ...(await toStatelessSubject(wired, script, revisions)), close };
}
