import type { NodeDirectory } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";

/** Streams of other nodes followed by connections of this node. */
export class StreamWatchers {
  readonly #nodes: NodeDirectory;
  readonly #wakes = new Map<string, Set<() => void>>();

  constructor(nodes: NodeDirectory) {
    this.#nodes = nodes;
  }

  /** Calls `wake` whenever a stream changes, until the returned function is called. */
  async watch(session: SessionKey, stream: string, wake: () => void): Promise<() => void> {
    const name = nameOf(session, stream);
    const wakes = this.#wakes.get(name) ?? new Set();
    this.#wakes.set(name, wakes);
    wakes.add(wake);
    const forget = (): void => {
      wakes.delete(wake);
      if (wakes.size === 0 && this.#wakes.get(name) === wakes) this.#wakes.delete(name);
    };
    try {
      const unwatch = await this.#nodes.watch(session, stream);
      return () => {
        unwatch();
        forget();
      };
    } catch (thrown) {
      forget();
      throw thrown;
    }
  }

  changed(session: SessionKey, stream: string): void {
    for (const wake of this.#wakes.get(nameOf(session, stream)) ?? []) wake();
  }
}

function nameOf({ id, owner }: SessionKey, stream: string): string {
  return JSON.stringify([id, owner, stream]);
}
