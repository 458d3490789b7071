import { expect, test } from "vitest";
import { meta } from "../../../kit/messages.ts";
import { newest, statelessRevision } from "../../../kit/revisions.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { lists, openSession, openUpstream, usual } from "./open-upstream.ts";

/* Levels of log messages, which the gateway sets at the server. */

test("a level is set again only if it differs, and after a rejection the last one counts", async () => {
  let isRejected = false;
  const { upstream, levels } = await openSession((method) => isRejected && method === "logging/setLevel");
  await upstream.setLevel("info", {});
  await upstream.setLevel("info", {});
  isRejected = true;
  await expect(upstream.setLevel("debug", {})).rejects.toMatchObject({ code: -32602 });
  isRejected = false;
  await upstream.setLevel("info", {});
  expect(levels()).toEqual(["info", "debug"]);
  await upstream.setLevel("debug", {});
  expect(levels()).toEqual(["info", "debug", "debug"]);
});

test("a level whose request was given up is not known: the next one is set whatever it is", async () => {
  const { upstream, received } = await openUpstream(newest, ({ method, params }) =>
    method === "logging/setLevel" && params["level"] === "debug" ? undefined : {},
  );
  const stop = new AbortController();
  await upstream.setLevel("info", {});
  const setting = expect(upstream.setLevel("debug", { signal: stop.signal })).rejects.toThrow("enough");
  await settle();
  stop.abort(new Error("enough"));
  await setting;
  await upstream.setLevel("info", {});
  expect(received("logging/setLevel").map(({ params }) => params["level"])).toEqual(["info", "debug", "info"]);
});

test.each<readonly [string, typeof newest, object, string | undefined]>([
  ["without log messages", newest, { tools: {} }, undefined],
  ["whose requests name a level", statelessRevision, usual, "debug"],
])("a server %s receives no request for a level", async (_which, revision, capabilities, expected) => {
  const { upstream, received } = await openUpstream(revision, lists, { capabilities });
  await upstream.setLevel("debug", {});
  await upstream.request("tools/list", {}, {});
  expect(received("logging/setLevel")).toEqual([]);
  expect(Object(received("tools/list").at(-1)?.params["_meta"])[meta.logLevel]).toBe(expected);
});

test("a call without a level changes no level at the server", async () => {
  const { upstream, levels } = await openSession();
  await upstream.setLevel("info", {});
  await upstream.setLevel(undefined, {});
  expect(levels()).toEqual(["info"]);
});

test("a level is set after all before it, also when the caller of one of them stops waiting", async () => {
  const { upstream, received } = await openUpstream(newest, ({ method }) =>
    method === "logging/setLevel" ? undefined : {},
  );
  const levels = (): readonly unknown[] => received("logging/setLevel").map(({ params }) => params["level"]);
  const stop = new AbortController();
  const first = upstream.setLevel("info", {});
  const stopped = expect(upstream.setLevel("debug", { signal: stop.signal })).rejects.toThrow("enough");
  const last = upstream.setLevel("error", {});
  stop.abort(new Error("enough"));
  await stopped;
  await settle();
  expect(levels()).toEqual(["info"]);
  received("logging/setLevel")[0]?.respond({});
  await first;
  await expect.poll(levels).toEqual(["info", "error"]);
  received("logging/setLevel")[1]?.respond({});
  await last;
});
