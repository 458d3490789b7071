import { extension as tasks } from "../../../generated/extensions/tasks/index.ts";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { revisions } from "../../../generated/revisions.ts";
import type { Place } from "./places.ts";

export type LoadSession = ClientSession<Declarations>;

/** Session that stays open, and is sometimes replaced. */
export interface Slot {
  readonly revision: string;
  session: LoadSession;
  /** True while the session is closed and the next one is opened. */
  isReplaced: boolean;
}

/** Sessions of a load. */
export class LoadSessions {
  readonly place: Place;
  readonly slots: Slot[] = [];
  #shortAt = 0;

  constructor(place: Place) {
    this.place = place;
  }

  async open(): Promise<void> {
    for (const revision of this.place.revisions) {
      const session = await this.connect(this.place.connect, revision);
      this.slots.push({ revision, session, isReplaced: false });
    }
  }

  connect(source: ConnectionFactory, revision: string): Promise<LoadSession> {
    const only = revisions.filter(({ id }) => id === revision);
    const client = createClient<Declarations>({
      info: { name: "load", version: "1.0.0" },
      revisions: only,
      extensions: [tasks],
      cacheLists: false,
    });
    return client.connect(source);
  }

  /** True if a short connection may begin now; the next one has to wait then. */
  takeShort(): boolean {
    const now = performance.now();
    if (now < this.#shortAt) return false;
    this.#shortAt = now + this.place.interval;
    return true;
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(({ session }) => session.close()));
  }
}
