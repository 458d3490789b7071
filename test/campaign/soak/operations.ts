import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { inTime } from "../../kit/time.ts";
import { pick, type Random } from "../../kit/random.ts";
import type { LoadSession, LoadSessions, Slot } from "./sessions.ts";

/** What an operation works on. */
export interface OperationInput {
  readonly sessions: LoadSessions;
  readonly slot: Slot;
  readonly random: Random;
}

/** Operation that rejects unless everything happened as it should. */
type Operation = (input: OperationInput) => Promise<void>;

export type OperationName = "echo" | "steps" | "cancel" | "subscribe" | "task" | "visit" | "replace" | "drop";

/** Operations on a session that stays open. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  echo: ({ slot, random }) => echo(slot.session, random),
  /** Progress before the result. */
  async steps({ slot: { session } }) {
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
    expectText(await session.callTool("steps", { to: 5 }, { onProgress }), "5");
    expectEqual("steps", seen.join(), "1,2,3,4,5");
  },
  /** Cancels a call that has begun. */
  async cancel({ slot: { session } }) {
    const controller = new AbortController();
    const reason = new Error("cancelled by the test");
    const onProgress = (): void => controller.abort(reason);
    try {
      await session.callTool("hang", {}, { onProgress, signal: controller.signal });
    } catch (error) {
      if (error === reason) return;
      throw error;
    }
    throw new Error("a cancelled call has a result");
  },
  async subscribe({ slot: { session }, random }) {
    await subscribe(session, random);
  },
  async task({ slot: { session, revision }, random }) {
    const args = { milliseconds: Math.floor(random() * 100) };
    // From the extension on, the server decides, and the client waits for the end.
    const isRequested = revision === "2025-11-25";
    const result = isRequested
      ? await (await session.callTool("later", args, { task: { ttl: 5_000 } })).result()
      : await session.callTool("later", args);
    expectText(result, "done");
  },
  /** Opens another session for a short time. */
  async visit({ sessions, random }) {
    const session = await sessions.connect(sessions.place.visit, pick(revisions, random).id);
    try {
      await Promise.all([echo(session, random), subscribe(session, random)]);
    } finally {
      await session.close();
    }
  },
  /** Closes the session under its calls, and opens another one in its place. */
  async replace({ sessions, slot }) {
    if (slot.isReplaced) return;
    slot.isReplaced = true;
    await slot.session.close();
    slot.session = await sessions.connect(sessions.place.connect, slot.revision);
    slot.isReplaced = false;
  },
  drop: ({ sessions }) => sessions.place.drop(),
};

/** Shares of the operations that need no connection, in percent. */
const shares: readonly (readonly [OperationName, number])[] = [
  ["steps", 7],
  ["cancel", 5],
  ["subscribe", 4],
  ["task", 3],
];

/** Chooses the next operation. Connections are limited in time rather than by a share: they cost processes over stdio. */
export function chooseOperation(sessions: LoadSessions, random: Random): OperationName {
  const drawn = random() * 100;
  if (drawn < 2 && sessions.takeShort()) return chooseShort(sessions, random);
  let sum = 2;
  for (const [name, share] of shares) {
    sum += share;
    if (drawn >= sum - share && drawn < sum) return name;
  }
  return "echo";
}

/** A session on stdio ends with its process, so it is not replaced. */
function chooseShort({ place }: LoadSessions, random: Random): OperationName {
  return pick(place.revisions.length > 1 ? ["visit", "replace", "drop"] : ["visit", "drop"], random);
}

async function echo(session: LoadSession, random: Random): Promise<void> {
  const text = `${random()} 🐎`.repeat(1 + Math.floor(random() * 20));
  expectText(await session.callTool("echo", { text }), text);
}

async function subscribe(session: LoadSession, random: Random): Promise<void> {
  const uri = `campaign://item/${Math.floor(random() * 1e9)}`;
  let notify = (): void => {};
  const notified = new Promise<void>((resolve) => (notify = resolve));
  const end = await session.subscribe(uri, () => notify());
  try {
    expectText(await session.callTool("touch", { uri }), uri);
    await inTime(notified, "a notification of a change");
  } finally {
    await end();
  }
}

function expectText(result: unknown, text: string): void {
  const content: unknown = isObject(result) ? result.content : undefined;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  expectEqual("the text of a result", isObject(block) ? block.text : JSON.stringify(result), text);
}

function expectEqual(subject: string, value: unknown, expected: string): void {
  if (value !== expected)
    throw new Error(`${subject} is ${String(value).slice(0, 200)} instead of ${expected.slice(0, 200)}`);
}
