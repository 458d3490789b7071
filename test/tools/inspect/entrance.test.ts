import { expect, onTestFinished, test } from "vitest";
import { servePage } from "../../../tools/inspect/page-server.ts";

test("the address for a program that opens a browser has no token, and leads to the page once", async () => {
  const handlers = { openEvents() {}, runCommand() {}, takeView: () => undefined };
  const page = await servePage(handlers, {});
  onTestFinished(() => page.close());
  const [entrance, other] = [page.createEntrance(), page.createEntrance()];
  const token = new URL(page.url).pathname;
  expect(entrance).not.toContain(token.slice(1, -1));
  expect(entrance).not.toBe(other);
  const open = async (url: string): Promise<readonly [number, string | null]> => {
    const response = await fetch(url, { redirect: "manual" });
    return [response.status, response.headers.get("location")];
  };
  expect(await open(entrance)).toEqual([302, token]);
  expect(await open(entrance)).toEqual([403, null]);
  expect(await open(`${entrance.slice(0, -1)}!`)).toEqual([403, null]);
  expect((await fetch(other)).status).toBe(200);
});
