import { isObject } from "../../generated/support.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { renewRevocations, type FoundRevocation } from "../engine/renew-revocations.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { RevocationStore, StoredRevocation } from "../stores/revocation-store.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import { NatsRecords, type NatsRecord } from "./records.ts";

/** Revocations on NATS, encrypted. */
export class NatsRevocations implements RevocationStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.revocations);
  }

  async add({ key, until }: StoredRevocation): Promise<void> {
    const { names, ring } = this.#context;
    if (!(until > Date.now())) return;
    const subject = names.revocation(ring.tags("revocation", key)[0]);
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#records.find(subject);
      const known = found && this.#open(subject, found);
      if (known && known.until >= until) return;
      const text = ring.encrypt(subject, JSON.stringify({ key, until }));
      if ((await this.#records.put(subject, text, found?.sequence ?? 0)) !== "conflict") return;
    }
    throw new EngineError("The revocation is changed by others all the time; try again later");
  }

  async list(): Promise<readonly StoredRevocation[]> {
    const subjects = await this.#records.list(this.#context.names.revocations);
    const found: FoundRevocation[] = [];
    for (let first = 0; first < subjects.length; first += pageSize) {
      const page = subjects.slice(first, first + pageSize);
      found.push(...(await Promise.all(page.map((subject) => this.#find(subject)))).flat());
    }
    return renewRevocations(found, (one) => this.add(one));
  }

  /** Returns the revocation of a subject, or removes it when it has expired. */
  async #find(subject: string): Promise<readonly FoundRevocation[]> {
    const found = await this.#records.find(subject);
    const revocation = found && this.#open(subject, found);
    if (!found || !revocation) return [];
    const { ring } = this.#context;
    if (revocation.until > Date.now()) return [{ ...revocation, isOutdated: ring.isOutdated(subject, found.text) }];
    // A later one may have replaced it meanwhile.
    await this.#records.removeOne(found.sequence);
    return [];
  }

  #open(subject: string, { text }: NatsRecord): StoredRevocation | undefined {
    const { ring, health } = this.#context;
    const clear = text.length > maxSize ? undefined : ring.decrypt(subject, text);
    const value = clear === undefined ? undefined : parseLimited(clear, maxSize);
    if (isObject(value) && typeof value.key === "string" && typeof value.until === "number")
      return { key: value.key, until: value.until };
    health.countInvalid();
    return undefined;
  }
}

/** Number of revocations read at a time. */
const pageSize = 100;

/** Characters of an encrypted revocation. */
const maxSize = 64 * 1024;
