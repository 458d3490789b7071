import { setTimeout as delay } from "node:timers/promises";
import { settle } from "../../runtime/testing/manual-clock.ts";
import { encodeLine, toLine } from "./lines.ts";
import type { Role } from "../../generated/support.ts";
import type { Channel } from "../../runtime/jsonrpc/channel.ts";
import type { OutcomeChecker } from "./outcome-checker.ts";
import type { Receiver } from "./expected-outcome.ts";
import type { Burst } from "./steps.ts";

/** Connection to a tested peer, in this process or another. */
export interface SubjectWire {
  /** Messages of the peer that were not checked yet. */
  readonly sent: unknown[];
  write(bytes: Uint8Array): void;
  post(message: unknown): void;
}

/** Connection of which one end is tested, and the other carries any bytes. */
export interface FuzzConnection {
  readonly wire: SubjectWire;
  /** The tested end. */
  readonly channel: Channel;
  /** Waits until the tested end has read everything. Default: as long as an end in this process takes. */
  readonly settle?: () => Promise<void>;
  /** True if the connection can carry a line. Default: every line. */
  readonly carries?: (line: Uint8Array) => boolean;
  /** Closes both ends. Returns the problems of the connection. Default: nothing has to be closed. */
  readonly close?: () => Promise<readonly string[]>;
}

/** Opens a connection for a conversation. */
export type OpenFuzzConnection = (role: Role) => Promise<FuzzConnection>;

/** Tested peer and the wire to it. */
export interface Subject {
  readonly wire: SubjectWire;
  /** Waits until the end has read everything. Default: as long as an end in this process takes. */
  readonly settle?: () => Promise<void>;
  /** True if its connection can carry a line. Default: every line. */
  readonly carries?: (line: Uint8Array) => boolean;
  /** Changes a line before it is sent and expected. Default: no change. */
  readonly edit?: (line: Uint8Array) => Uint8Array;
  readonly checker: OutcomeChecker;
  readonly receiver: Receiver;
  /** Names and URIs that exist there. */
  readonly things: readonly string[];
  /** Uses the end under test from its own side, between bursts. */
  readonly use?: () => void;
  /** Ends the connection. Returns the problems of its end. */
  readonly close: () => Promise<readonly string[]>;
}

/** Sends all bursts, and returns all problems. */
export async function converse(subject: Subject, bursts: readonly Burst[]): Promise<readonly string[]> {
  const { checker } = subject;
  for (const burst of bursts) {
    subject.use?.();
    await sendBurst(subject, burst);
  }
  for (let count = 0; checker.pending.size > 0 && count < 50; count += 1) await respondToAll(subject);
  await ping(subject);
  for (let waits = 0; checker.findMissing().length > 0 && waits < patience; waits += 1) await wait(subject);
  return [...checker.problems, ...checker.findMissing(), ...(await subject.close())];
}

/** Sends a burst in one turn of the event loop, in pieces. */
async function sendBurst(subject: Subject, { steps, cuts }: Burst): Promise<void> {
  const { wire, checker, receiver, things } = subject;
  const { pending, used } = checker;
  const role = receiver.role === "server" ? "client" : "server";
  const { carries = () => true, edit = (line) => line } = subject;
  const lines = steps
    .map((step) => edit(toLine(step, { fuzz: receiver.fuzz, role, pending, used, things })))
    .filter((line) => carries(line.subarray(0, -1)));
  checkSent(subject);
  for (const line of lines) checker.expect(line.subarray(0, -1));
  const bytes = Buffer.concat(lines);
  const places = [0, ...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  for (const [at, end] of places.slice(1).entries()) wire.write(bytes.subarray(places[at], end));
  await listen(subject);
}

/** Milliseconds for responses that wait for the platform, such as its cryptography. */
const patience = 500;

async function wait(subject: Subject): Promise<void> {
  await delay(1);
  await listen(subject);
}

async function listen(subject: Subject): Promise<void> {
  await (subject.settle ?? settle)();
  checkSent(subject);
}

/** Waits until a tested peer has sent something. */
export async function awaitSent({
  wire,
  settle: wait = settle,
}: Pick<FuzzConnection, "wire" | "settle">): Promise<void> {
  while (wire.sent.length === 0) await wait();
}

/** Passes sent messages to the checker. */
function checkSent({ wire, checker }: Subject): void {
  for (const message of wire.sent.splice(0)) checker.checkSent(message);
}

/** Responds to all pending requests of the tested peer. */
async function respondToAll(subject: Subject): Promise<void> {
  const { wire, checker } = subject;
  for (const id of checker.pending.keys()) wire.post({ jsonrpc: "2.0", id, error: { code: 1, message: "Good night" } });
  checker.pending.clear();
  await listen(subject);
}

async function ping(subject: Subject): Promise<void> {
  const line = encodeLine(JSON.stringify({ jsonrpc: "2.0", id: "last", method: "ping" }));
  subject.checker.expect(line.subarray(0, -1));
  subject.wire.write(line);
  await listen(subject);
}
