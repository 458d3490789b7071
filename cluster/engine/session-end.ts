import { pause, type Clock } from "../../runtime/internal/timers.ts";
import type { Engine } from "../stores/engine.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { HttpSession } from "../../runtime/transport/http-server/session/session.ts";
import { nodeOfSession } from "../node-name.ts";
import { removeSessionValues } from "./session-values.ts";

/** Node that ends a session. */
export interface EndingNode {
  readonly engine: Pick<Engine, "sessions" | "events" | "nodes" | "values">;
  readonly clock: Clock;
  /** Name of the node. */
  readonly name: string;
  /** Returns true when the node has closed. */
  isOver(): boolean;
  /** Reports errors of background work. */
  fail(thrown: unknown): void;
}

/**
 * Ends a session at all other nodes, and removes its streams and values. When the engine fails meanwhile, the session may have ended already: the rest
 * is repeated in the background, and ends it at this node as well.
 *
 * @throws {EngineError} when the engine fails
 */
export async function endSharedSession(key: SessionKey, node: EndingNode): Promise<void> {
  const known = await node.engine.sessions.findNodes(key);
  try {
    await endOnce(key, known, node, node.name);
  } catch (thrown) {
    repeatEnd(key, known, node).catch(node.fail);
    throw thrown;
  }
}

/**
 * @param known - nodes which served the session before it ended
 * @param except - node to send no message to
 */
async function endOnce(
  key: SessionKey,
  known: readonly string[],
  { engine }: Pick<EndingNode, "engine">,
  except?: string,
): Promise<void> {
  const owner = nodeOfSession(key.id);
  const nodes = new Set([...known, ...(await engine.sessions.end(key)), ...(owner === undefined ? [] : [owner])]);
  const message = { kind: "ended", session: key } as const;
  await Promise.all([...nodes].map(async (node) => node !== except && engine.nodes.send(node, message)));
  await Promise.all([engine.events.remove(key), removeSessionValues(engine.values, key)]);
}

async function repeatEnd(key: SessionKey, known: readonly string[], node: EndingNode): Promise<void> {
  for (let attempt = 1; !node.isOver(); attempt += 1) {
    await pause(endDelay, node.clock);
    try {
      return await endOnce(key, known, node);
    } catch (thrown) {
      if (attempt === mostEnds) throw thrown;
    }
  }
}

/**
 * Ends a node's half of a session ended by another node. Events stored by this node since then are removed, because they would begin the streams
 * again.
 */
export async function endLocalSession(session: HttpSession, { events }: Pick<Engine, "events">): Promise<void> {
  session.markEnded();
  await session.connection.close({ drain: 0 });
  await events.remove(session.key);
}

/** Milliseconds between two attempts to end a session. */
const endDelay = 1_000;

/** Attempts to end a session: for as long as its streams are kept. */
const mostEnds = 600;
