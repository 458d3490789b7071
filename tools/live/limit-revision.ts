import type { Revision } from "../../generated/support.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";

/** Limits connections to one revision. Values of the caller are still converted from the newest of its revisions. */
export function limitRevision(open: ConnectionFactory, { id }: Pick<Revision, "id">): ConnectionFactory {
  return (options) => {
    const [written] = options.revisions;
    const chosen = options.revisions.find((revision) => revision.id === id);
    if (!written || !chosen) return Promise.reject(new Error(`Revision ${id} is not among those of the connection`));
    return open({ ...options, revisions: [chosen], written, lifecycle: chosen.lifecycle });
  };
}
