import { randomBytes } from "node:crypto";
import { messagesTtl, mostMessages } from "../engine/node-message.ts";
import type { NatsLimits } from "./nats-limits.ts";
import type { NatsStream } from "./nats-link.ts";

/** Names of streams and subjects of an application. */
export interface NatsNames {
  /** Start of all subjects. */
  readonly start: string;
  readonly streams: NatsStreams;
  /** Subject of a session by the tags of its owner and its own. */
  session(owner: string, tag: string): string;
  /** Subjects of the sessions of an owner. */
  sessions(owner: string): string;
  /** Subject of the events of a stream. */
  events(tag: string, stream: string): string;
  /** Subjects of all streams of a session. */
  allEvents(tag: string): string;
  /** Subject to wake the nodes watching a stream. */
  watch(tag: string, stream: string): string;
  /** Returns the subject to wake the nodes watching the stream with these events. */
  watchOf(events: string): string;
  lease(node: string): string;
  /** Subject of the messages to a node. */
  messages(node: string): string;
  /** Subject to wake a node. */
  messageWake(node: string): string;
  readonly broadcasts: string;
  /** Subject to wake the receivers of broadcasts. */
  readonly broadcastWake: string;
  task(owner: string, tag: string): string;
  /** Subjects of the tasks of an owner. */
  tasks(owner: string): string;
  /** Subjects of all tasks. */
  readonly allTasks: string;
  /** Subjects of the tasks with a tag, of any owner. */
  tasksOf(tag: string): string;
  /** Subjects of the leases of all tasks. */
  readonly leases: string;
  leaseOfTask(task: string): string;
  taskOfLease(lease: string): string;
  /** Subject of the notice that the node of a task has given it away. */
  released(lease: string): string;
  /** Subjects of all tasks given away. */
  readonly allReleased: string;
  leaseOfReleased(released: string): string;
  /** Subject of the steps of work. */
  ledger(tag: string): string;
  replay(tag: string): string;
  rate(tag: string): string;
  revocation(tag: string): string;
  /** Subjects of all revocations. */
  readonly revocations: string;
  value(tag: string): string;
  /** Subjects of all values. */
  readonly values: string;
  /** Subject of the exclusive use of a value. */
  lock(tag: string): string;
  /** Subjects of the parts of the values with a subject; wildcards are permitted. */
  parts(values: NatsStream, subject: string): string;
  /** Subject of a part of a value. */
  part(place: PartPlace, index: number): string;
  /** Returns the value to which a part belongs. */
  valueOfPart(values: NatsStream, part: string): PartPlace;
  /** Subject of a part stored by version 0.1. */
  earlierPart(id: string, index: number): string;
  /** Subject of a message stored only to read the clock of the server. */
  clock(token: string): string;
}

/** Streams of an application. */
export interface NatsStreams {
  readonly sessions: NatsStream;
  readonly events: NatsStream;
  readonly nodes: NatsStream;
  readonly broadcasts: NatsStream;
  readonly messages: NatsStream;
  readonly tasks: NatsStream;
  readonly leases: NatsStream;
  readonly ledger: NatsStream;
  readonly replays: NatsStream;
  readonly rates: NatsStream;
  readonly revocations: NatsStream;
  readonly values: NatsStream;
  readonly locks: NatsStream;
  /** Parts of large values, where these are removed by their age. */
  readonly parts: NatsStream;
  /** Parts of large values, kept until they are removed. */
  readonly lastingParts: NatsStream;
}

/** Parts of one value. */
export interface PartPlace {
  /** Stream of the value. */
  readonly values: NatsStream;
  /** Subject of the value. */
  readonly subject: string;
  readonly id: string;
}

/** Creates names that start with the name of the application. */
export function createNatsNames(application: string, limits: NatsLimits): NatsNames {
  // Names of streams cannot have dots. A hyphen may be part of the name of another application.
  const start = `${application.replaceAll(".", "=")}-v1`;
  const define = (name: string, rest: Omit<NatsStream, "name" | "subjects">): NatsStream => ({
    name: `${start}-${name}`,
    subjects: `${start}.${name}.>`,
    ...rest,
  });
  const hour = 3_600_000;
  // A stream may receive events for longer than an idle one is kept.
  const eventsTtl = Math.max(hour, limits.streamTtl);
  const startOfParts = (values: NatsStream): string => `${start}.${values.maxAge === 0 ? "lasting-parts" : "parts"}`;
  const partsOf = (values: NatsStream, subject: string): string =>
    `${startOfParts(values)}${subject.slice(start.length)}`;
  return {
    start,
    streams: {
      sessions: define("sessions", { maxAge: limits.sessionTtl, maxPerSubject: 1 }),
      events: define("events", { maxAge: eventsTtl, maxPerSubject: limits.maxEvents + 1 }),
      nodes: define("nodes", { maxAge: hour, maxPerSubject: 1 }),
      messages: define("messages", { maxAge: messagesTtl, maxPerSubject: mostMessages }),
      broadcasts: define("broadcasts", { maxAge: limits.broadcastTtl, maxMessages: limits.maxBroadcasts }),
      tasks: define("tasks", { maxAge: 0, maxPerSubject: 1 }),
      leases: define("leases", { maxAge: 24 * hour, maxPerSubject: 1 }),
      ledger: define("ledger", { maxAge: limits.ledgerTtl, maxPerSubject: 1 }),
      replays: define("replays", { maxAge: 7 * 24 * hour, maxPerSubject: 1 }),
      rates: define("rates", { maxAge: 24 * hour, maxPerSubject: 1 }),
      revocations: define("revocations", { maxAge: 0, maxPerSubject: 1 }),
      values: define("values", { maxAge: 0, maxPerSubject: 1 }),
      locks: define("locks", { maxAge: 24 * hour, maxPerSubject: 1 }),
      parts: define("parts", {
        maxAge: Math.max(24 * hour, limits.sessionTtl, eventsTtl, limits.ledgerTtl),
        maxPerSubject: 1,
      }),
      lastingParts: define("lasting-parts", { maxAge: 0, maxPerSubject: 1 }),
    },
    session: (owner, tag) => `${start}.sessions.${owner}.${tag}`,
    sessions: (owner) => `${start}.sessions.${owner}.*`,
    events: (tag, stream) => `${start}.events.${tag}.${toToken(stream)}`,
    allEvents: (tag) => `${start}.events.${tag}.*`,
    watch: (tag, stream) => `${start}.watch.${tag}.${toToken(stream)}`,
    watchOf: (events) => `${start}.watch.${events.slice(start.length + ".events.".length)}`,
    lease: (node) => `${start}.nodes.lease.${toToken(node)}`,
    messages: (node) => `${start}.messages.${toToken(node)}`,
    messageWake: (node) => `${start}.wake.${toToken(node)}`,
    broadcasts: `${start}.broadcasts.all`,
    broadcastWake: `${start}.wake`,
    task: (owner, tag) => `${start}.tasks.${owner}.${tag}`,
    tasks: (owner) => `${start}.tasks.${owner}.*`,
    allTasks: `${start}.tasks.*.*`,
    tasksOf: (tag) => `${start}.tasks.*.${tag}`,
    leases: `${start}.leases.*.*`,
    leaseOfTask: (task) => `${start}.leases.${task.slice(start.length + ".tasks.".length)}`,
    taskOfLease: (lease) => `${start}.tasks.${lease.slice(start.length + ".leases.".length)}`,
    released: (lease) => `${start}.leases.released.${lease.slice(start.length + ".leases.".length)}`,
    allReleased: `${start}.leases.released.*.*`,
    leaseOfReleased: (released) => `${start}.leases.${released.slice(start.length + ".leases.released.".length)}`,
    ledger: (tag) => `${start}.ledger.${tag}`,
    replay: (tag) => `${start}.replays.${tag}`,
    rate: (tag) => `${start}.rates.${tag}`,
    revocation: (tag) => `${start}.revocations.${tag}`,
    revocations: `${start}.revocations.*`,
    value: (tag) => `${start}.values.${tag}`,
    values: `${start}.values.*`,
    lock: (tag) => `${start}.locks.${tag}`,
    parts: (values, subject) => `${partsOf(values, subject)}.>`,
    part: ({ values, subject, id }, index) => `${partsOf(values, subject)}.${id}.${index}`,
    valueOfPart: (values, part) => {
      const tokens = part.slice(startOfParts(values).length).split(".");
      return { values, subject: `${start}${tokens.slice(0, -2).join(".")}`, id: tokens.at(-2) ?? "" };
    },
    earlierPart: (id, index) => `${start}.parts.${id}.${index}`,
    clock: (token) => `${start}.nodes.clock.${token}`,
  };
}

/** Returns a random token for a subject. */
export function createToken(): string {
  return randomBytes(12).toString("hex");
}

/** Returns a text as one token of a subject: as it is, or encoded where a character has a meaning in subjects. */
function toToken(text: string): string {
  return /^[0-9A-Za-z]{1,100}$/.test(text) ? text : `_${Buffer.from(text).toString("base64url")}`;
}
