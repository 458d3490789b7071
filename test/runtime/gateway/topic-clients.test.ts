import { expect, test } from "vitest";
import { TopicClients } from "../../../runtime/gateway/topic-clients.ts";

/* Clients that subscribe to tasks of a gateway, on all nodes of a cluster. */

test("a notification of a topic reaches the clients of all nodes, or those of one, and nothing else is passed on", () => {
  const received: unknown[] = [];
  const receive = (where: string): object => ({
    notifyTopic: (...given: readonly unknown[]) => void received.push([where, ...given]),
  });
  const clients = new TopicClients(Object.create(receive("here")));
  for (const other of [receive("there"), {}]) clients.attach(Object.create(other));
  clients.notifyTopic("t", "taskStatus", { a: 1 });
  expect(received.splice(0)).toEqual(["here", "there"].map((where) => [where, "t", "taskStatus", { a: 1 }]));
  clients.notifyHere("t", "taskStatus", { a: 2 });
  expect(received.splice(0)).toEqual([["here", "t", "taskStatus", { a: 2 }]]);
  clients.notify();
  clients.notifyUpdated();
  clients.setLogLevel();
  expect(received).toEqual([]);
});
