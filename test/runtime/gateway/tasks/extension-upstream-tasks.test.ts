import { expect, test, vi } from "vitest";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import {
  declareTasks,
  extensionUpstreamTasks,
  toTaskSubscriber,
} from "../../../../runtime/gateway/tasks/upstream-tasks.ts";
import { MissingCapabilityError, PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";

/* Tasks of a server with the tasks extension: when the gateway declares the extension for a client that may not know it. */

const [extended = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const id = "io.modelcontextprotocol/tasks";
const info = { name: "test", version: "1" };

test.each<readonly [string, readonly (typeof newest)[], object]>([
  ["the extension", [extended], { [id]: {} }],
  ["the extension, although one with sessions comes first", [newest, extended], { [id]: {} }],
  ["no extension of tasks", [statelessRevision], {}],
  ["sessions only", [newest], {}],
])("the gateway subscribes to tasks as itself, with revisions that have %s", (_what, revisions, extensions) => {
  expect(toTaskSubscriber(revisions)).toMatchObject({ info: { name: "gateway" }, capabilities: { extensions } });
  expect(Object.keys(Object(toTaskSubscriber(revisions).capabilities.extensions))).toEqual(Object.keys(extensions));
});

test.each<readonly [string, typeof newest, Record<string, unknown>, object]>([
  ["a client without extensions", extended, { roots: {} }, { roots: {}, extensions: { [id]: {} } }],
  ["a client with another one", extended, { extensions: { "a/b": {} } }, { extensions: { "a/b": {}, [id]: {} } }],
  ["a client whose extensions are no object", extended, { extensions: true }, { extensions: { [id]: {} } }],
  ["no client at a revision without it", statelessRevision, { roots: {} }, { roots: {} }],
])("tasks are declared for %s", (_whom, revision, capabilities, expected) => {
  expect(declareTasks({ info, capabilities }, revision)).toEqual({ info, capabilities: expected });
});

const failure = { code: -32021, message: "missing" };
const needing = (required: object): Error => new MissingCapabilityError(failure, { ...required });
const result = { content: [] };

test.each<readonly [string, typeof newest, unknown, boolean]>([
  ["that needs tasks", extended, needing({ extensions: { [id]: {} } }), true],
  ["that needs another extension", extended, needing({ extensions: { "a/b": {} } }), false],
  ["that needs a capability", extended, needing({ sampling: {} }), false],
  ["that fails", extended, new PeerError(failure), false],
  [
    "that needs tasks which the revision does not have",
    statelessRevision,
    needing({ extensions: { [id]: {} } }),
    false,
  ],
])("a call %s is sent again with them only if that helps", async (_what, revision, error, isAgain) => {
  const completeWithTasks = vi.fn(() => Promise.resolve({ result }));
  const call = { upstream: { revision }, call() {}, complete: () => Promise.reject(error), completeWithTasks };
  const called = extensionUpstreamTasks.callTool(Object.create(call));
  if (isAgain) expect(await called).toBe(result);
  else await expect(called).rejects.toBe(error);
  expect(completeWithTasks).toHaveBeenCalledTimes(isAgain ? 1 : 0);
});

test.each<readonly [unknown, unknown]>([
  [{ tools: [{ name: "a" }, 5] }, { tools: [{ name: "a", execution: { taskSupport: "optional" } }] }],
  [{ tools: 5 }, { tools: 5 }],
  [undefined, undefined],
])("of a list of tools %j, each tool may be called as a task", (given, shown) => {
  expect(extensionUpstreamTasks.showTools(given)).toEqual(shown);
});
