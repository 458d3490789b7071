import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { TaskKey } from "../../runtime/stores/task-store.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import type { KeyRing } from "../engine/key-ring.ts";
import type { Operations } from "../engine/operations.ts";
import type { NatsLink } from "./nats-link.ts";
import type { NatsNames } from "./nats-names.ts";

/** Parts used by places. */
export interface PlacesOptions {
  readonly link: NatsLink;
  readonly operations: Operations;
  readonly names: NatsNames;
  readonly ring: KeyRing;
}

/** Subject of a value, and the pseudonym from which its other subjects and fields derive. */
export interface NatsPlace {
  readonly subject: string;
  readonly tag: string;
}

/** Places of values. While keys are replaced, a value may have the pseudonym of an older key. */
export class NatsPlaces {
  readonly #options: PlacesOptions;
  /** Subjects of existing values, by the one with the current key. */
  readonly #found = new Map<string, string>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  session({ id, owner }: SessionKey): Promise<NatsPlace> {
    const { names, ring } = this.#options;
    const owners = this.owners(owner);
    const tags = ring.tags("session", id, owner);
    const places = toPlaces(tags, (tag, index) => ({ tag, subject: names.session(owners[index] ?? "", tag) }));
    return this.#find(names.streams.sessions.name, places);
  }

  /** Returns the pseudonym of a session, from which the subjects of its streams derive. */
  async sessionTag(key: SessionKey): Promise<string> {
    const [current, ...older] = this.#options.ring.tags("session", key.id, key.owner);
    return older.length === 0 ? current : (await this.session(key)).tag;
  }

  task({ id, owner }: TaskKey): Promise<NatsPlace> {
    const { names, ring } = this.#options;
    const owners = this.owners(owner);
    const tags = ring.tags("task", id);
    const places = toPlaces(tags, (tag, index) => ({ tag, subject: names.task(owners[index] ?? "", tag) }));
    return this.#find(names.streams.tasks.name, places);
  }

  /** Returns the place of the steps of work. Its tag is the tag of the given step. */
  step(scope: string, step: string): Promise<NatsPlace> {
    const { names, ring } = this.#options;
    const steps = ring.tags("step", step, scope);
    const scopes = ring.tags("ledger", scope);
    const places = toPlaces(scopes, (tag, index) => ({ tag: steps[index] ?? "", subject: names.ledger(tag) }));
    return this.#find(names.streams.ledger.name, places);
  }

  /** Returns the pseudonyms of an owner, the current one first. */
  owners(owner: string | undefined): readonly [string, ...string[]] {
    return this.#options.ring.tags("owner", owner ?? "", owner === undefined ? "none" : "one");
  }

  /** Returns the first place with a value; without one the first. */
  async #find(stream: string, places: Places): Promise<NatsPlace> {
    const [current, ...older] = places;
    if (older.length === 0) return current;
    const { link, operations } = this.#options;
    const known = this.#found.get(current.subject);
    const last = places.find(({ subject }) => subject === known);
    if (last) return last;
    for (const place of places) {
      if (!(await operations.perform("read", () => link.findLast(stream, place.subject)))) continue;
      setLimited(this.#found, [current.subject, place.subject], mostKnown);
      return place;
    }
    return current;
  }
}

/** Places with each of the keys, the current key first. */
type Places = readonly [NatsPlace, ...NatsPlace[]];

function toPlaces(
  [current, ...older]: readonly [string, ...string[]],
  toPlace: (tag: string, index: number) => NatsPlace,
): Places {
  return [toPlace(current, 0), ...older.map((tag, index) => toPlace(tag, index + 1))];
}

const mostKnown = 10_000;
