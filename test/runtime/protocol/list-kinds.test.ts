import { expect, test } from "vitest";
import { listChanged, listKinds } from "../../../runtime/protocol/methods/list-kinds.ts";
import { filterMembers } from "../../../runtime/protocol/methods/subscription-filter.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { requestMetadata } from "../../kit/messages.ts";

test("three lists may change", () => {
  expect(listKinds).toEqual(["tools", "resources", "prompts"]);
});

test("the changes of each list have a notification in the tables of the revision", () => {
  const handlers = new Map(Object.values(newest.serverNotifications).map(({ handler, method }) => [handler, method]));
  expect(listKinds.map((kind) => handlers.get(listChanged[kind]))).toEqual([
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
  ]);
});

test("each list has a switch in the filter of a listener", () => {
  const check = (notifications: object): unknown =>
    statelessRevision.clientRequests["subscriptions/listen"]?.params({ notifications, _meta: requestMetadata() });
  for (const kind of listKinds) {
    expect(check({ [filterMembers[kind]]: true })).toBeUndefined();
    expect(check({ [filterMembers[kind]]: 1 })).toMatchObject({ path: `notifications/${filterMembers[kind]}` });
  }
});
