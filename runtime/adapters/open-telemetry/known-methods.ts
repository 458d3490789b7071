import type { NotificationRow, RequestRow, Revision, Table } from "../../../generated/support.ts";
import { createMetadataReader, type MetadataReader } from "../../protocol/session/request-metadata.ts";

/** Methods of the revisions of a connection, and the revisions named by its messages. */
export class KnownMethods {
  readonly #revisions: ReadonlyMap<unknown, Revision>;
  readonly #methods: ReadonlySet<string>;
  readonly #reader: MetadataReader | undefined;

  constructor(revisions: readonly Revision[]) {
    this.#revisions = new Map(revisions.map((revision) => [revision.id, revision]));
    this.#methods = new Set(revisions.flatMap(readMethods));
    this.#reader = createMetadataReader(revisions);
  }

  /** True for a method known to a revision. Peers send any text as a method. */
  has(method: string): boolean {
    return this.#methods.has(method);
  }

  /** Returns the revision named by the metadata of a stateless request. */
  findRevision(params: unknown): Revision | undefined {
    return this.#revisions.get(this.#reader?.readVersion(params));
  }
}

function readMethods(revision: Revision): readonly string[] {
  const tables: readonly Table<RequestRow | NotificationRow>[] = [
    revision.clientRequests,
    revision.clientNotifications,
    revision.serverRequests,
    revision.serverNotifications,
  ];
  return tables.flatMap((table) => Object.keys(table));
}
