import { expect, test } from "vitest";
import { toClientCapabilitiesOf, toServerCapabilitiesOf } from "../../../runtime/gateway/convert-messages.ts";
import { statelessRevision, newest, revisionOf } from "../../kit/revisions.ts";

/* Capabilities that a gateway declares for one side to the other: what it can fulfil at the revision. */

const odd = { "x/odd": {} };

test.each<readonly [string, typeof newest, object, object]>([
  ["known ones", newest, { tools: { listChanged: true }, logging: {} }, { tools: { listChanged: true }, logging: {} }],
  ["no unknown ones", newest, { ...odd, tools: {} }, { tools: {} }],
  ["no unknown members", newest, { tools: { listChanged: true, ...odd } }, { tools: { listChanged: true } }],
  ["values that are no objects", newest, { tools: true }, { tools: true }],
  ["no experiments, tasks or extensions", newest, { experimental: odd, tasks: {}, extensions: odd }, {}],
  ["no member of another capability", newest, { tools: { subscribe: true } }, { tools: {} }],
  ["no capability of a newer revision", revisionOf("2024-11-05"), { completions: {}, prompts: {} }, { prompts: {} }],
])("a client receives of a server %s", (_what, revision, capabilities, expected) => {
  expect(toClientCapabilitiesOf({ ...capabilities }, revision)).toEqual(expected);
});

test.each<readonly [string, typeof newest, object, object]>([
  ["known ones", statelessRevision, { elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
  ["no unknown ones", statelessRevision, { ...odd, elicitation: { form: {} } }, { elicitation: { form: {} } }],
  ["no unknown members", statelessRevision, { elicitation: { form: {}, ...odd } }, { elicitation: { form: {} } }],
  ["no unknown members at an older revision", newest, { sampling: { tools: {}, ...odd } }, { sampling: { tools: {} } }],
  ["no experiments or tasks", newest, { experimental: odd, tasks: {} }, {}],
  ["no extension that the gateway does not know", statelessRevision, { extensions: odd }, {}],
])("a server receives of a client %s", (_what, revision, capabilities, expected) => {
  const info = { name: "test", version: "1" };
  expect(toServerCapabilitiesOf({ info, capabilities: { ...capabilities } }, revision)).toEqual(expected);
});
