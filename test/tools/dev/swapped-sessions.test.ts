import { expect, test } from "vitest";
import { SwappedSessions } from "../../../tools/dev/swapped-sessions.ts";
import type { Audience } from "../../../runtime/server/subscriptions/session-registry.ts";

test("receivers of earlier definitions are kept while a request waits in them, and for one more definition", () => {
  const sessions = new SwappedSessions();
  const use = (audience: Audience): readonly Audience[] => {
    const view = sessions.createView();
    view.registry.attach(audience);
    view.use();
    return view.registry.audiences;
  };
  const close = async (): Promise<void> => {};
  const waiting: Audience = { isIdle: false, notify() {}, close };
  const idle = (): Audience => ({ isIdle: true, notify() {}, close });
  use(waiting);
  let audiences: readonly Audience[] = [];
  const later = Array.from({ length: 20 }, idle);
  for (const audience of later) audiences = use(audience);
  expect(audiences).toHaveLength(3);
  expect(audiences[0]).toBe(waiting);
  expect(audiences.slice(1)).toEqual(later.slice(-2));
});
