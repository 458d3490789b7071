import type { PostBody } from "../post-body.ts";

/** Outcome of the checks of a POST: a message for a session has a body, other outcomes may have one. */
interface Checked {
  readonly kind: string;
  readonly postBody?: PostBody;
}

/**
 * Order of cancellations. A cancellation may arrive on another connection than its request, and its checks may end sooner: those of the request may
 * wait for a store, or for the key of a token. Handled first, the cancellation would find no request, and the request would run.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#timing-considerations
 */
export class CancellationOrder {
  /** Pending checks by session, in the order of arrival. */
  readonly #open = new Map<string, Set<Promise<unknown>>>();

  /** Returns the outcome of checks. A cancellation waits until the checks of all earlier POSTs are over. */
  async arrange<Outcome extends Checked>(session: string, checks: Promise<Outcome>): Promise<Outcome> {
    const open = this.#open.get(session) ?? new Set();
    this.#open.set(session, open.add(checks));
    try {
      const outcome = await checks;
      if (outcome.kind === "message" && outcome.postBody && isCancellation(outcome.postBody))
        await Promise.allSettled(takeEarlier(open, checks));
      return outcome;
    } finally {
      open.delete(checks);
      if (open.size === 0) this.#open.delete(session);
    }
  }
}

function takeEarlier(open: ReadonlySet<Promise<unknown>>, own: Promise<unknown>): readonly Promise<unknown>[] {
  const all = [...open];
  return all.slice(0, all.indexOf(own));
}

function isCancellation(postBody: PostBody): boolean {
  const members = postBody.kind === "single" ? [postBody.incoming] : postBody.members;
  return members.some((member) => member.kind === "notification" && member.method === "notifications/cancelled");
}
