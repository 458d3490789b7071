import { setTimeout as delay } from "node:timers/promises";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { encodeLine, toLine } from "./lines.ts";
import type { Referee } from "./referee.ts";
import type { Hearing } from "./expected-outcome.ts";
import type { Burst } from "./steps.ts";

/** What leads to an end under test, in this process or elsewhere. */
export interface SubjectWire {
  /** What the end has said and nobody has looked at yet. */
  readonly sent: unknown[];
  write(bytes: Uint8Array): void;
  post(message: unknown): void;
}

/** One end under test and the wire that leads to it. */
export interface Subject {
  readonly wire: SubjectWire;
  /** Waits until the end has read everything. Default: as long as an end in this process takes. */
  readonly settle?: () => Promise<void>;
  readonly referee: Referee;
  readonly hearing: Hearing;
  /** Names and URIs that exist there. */
  readonly things: readonly string[];
  /** Uses the end under test from its own side, between bursts. */
  readonly use?: () => void;
  /** Ends the connection; says what is wrong with how it ended. */
  readonly close: () => Promise<readonly string[]>;
}

/** Holds a conversation, and returns everything that was wrong with it. */
export async function converse(subject: Subject, bursts: readonly Burst[]): Promise<readonly string[]> {
  const { referee } = subject;
  for (const burst of bursts) {
    subject.use?.();
    await say(subject, burst);
  }
  for (let rounds = 0; referee.asked.size > 0 && rounds < 50; rounds += 1) await answerAll(subject);
  await ping(subject);
  for (let waits = 0; referee.findMissing().length > 0 && waits < patience; waits += 1) await wait(subject);
  return [...referee.problems, ...referee.findMissing(), ...(await subject.close())];
}

/** Everything that a burst brings arrives in one turn, in pieces. */
async function say(subject: Subject, { steps, cuts }: Burst): Promise<void> {
  const { wire, referee, hearing, things } = subject;
  const { asked, used } = referee;
  const role = hearing.role === "server" ? "client" : "server";
  const lines = steps.map((step) => toLine(step, { fuzz: hearing.fuzz, role, asked, used, things }));
  see(subject);
  for (const line of lines) referee.hear(line.subarray(0, -1));
  const bytes = Buffer.concat(lines);
  const places = [0, ...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  for (const [at, end] of places.slice(1).entries()) wire.write(bytes.subarray(places[at], end));
  await listen(subject);
}

/** Milliseconds for answers that wait for the platform, such as its cryptography. */
const patience = 500;

async function wait(subject: Subject): Promise<void> {
  await delay(1);
  await listen(subject);
}

async function listen(subject: Subject): Promise<void> {
  await (subject.settle ?? settle)();
  see(subject);
}

/** Shows the referee what has left. */
function see({ wire, referee }: Subject): void {
  for (const message of wire.sent.splice(0)) referee.see(message);
}

/** Whatever the end under test still waits for comes now. */
async function answerAll(subject: Subject): Promise<void> {
  const { wire, referee } = subject;
  for (const id of referee.asked.keys()) wire.post({ jsonrpc: "2.0", id, error: { code: 1, message: "Good night" } });
  referee.asked.clear();
  await listen(subject);
}

async function ping(subject: Subject): Promise<void> {
  const line = encodeLine(JSON.stringify({ jsonrpc: "2.0", id: "last", method: "ping" }));
  subject.referee.hear(line.subarray(0, -1));
  subject.wire.write(line);
  await listen(subject);
}
