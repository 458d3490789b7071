import { afterEach, describe, expect, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { createProgram } from "../../kit/programs.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";
import { openOdd, readText } from "./invalid-server-gateway.ts";

/* Results of a server that are none of its revision's, too many, or too long. */

const script = await createProgram(new URL("./invalid-server.ts", import.meta.url));
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const call = (name: string, given: object = {}): object => ({ name, arguments: given });

describe("a server whose results require input repeatedly", () => {
  test("a server that requires input repeatedly is called eleven times at most for a client with a session, whose call then fails", async () => {
    const { gateway, called } = await openOdd({ script, era: "alone", ends });
    const client = await joinGateway(gateway, newest);
    const pending = client.request("tools/call", call("ask"));
    await expect(pending).rejects.toThrow("The server required input more than 10 times in one call");
    expect(called("ask")).toBe(11);
    expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
  });

  test("a server that requires input repeatedly is not called again when the client has disconnected", async () => {
    const { gateway, called } = await openOdd({ script, era: "alone", ends });
    const client = await joinGateway(gateway, newest);
    const pending = client.request("tools/call", call("ask")).catch(() => {});
    await expect.poll(() => called("ask")).toBeGreaterThan(1);
    await client.close();
    await pending;
    const before = called("ask");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // A round may have been on its way while the connection was closing.
    expect(called("ask") - before).toBeLessThan(6);
  });

  test("a server that requires input is called once where its revision has no such results, whatever the client's is", async () => {
    const { gateway, called } = await openOdd({ script, ends });
    for (const revision of [newest, statelessRevision]) {
      const client = await joinGateway(gateway, revision);
      expect(readText(await client.request("tools/call", call("ask")))).toBe("not yet");
    }
    expect(called("ask")).toBe(2);
  });
});

describe("members of results that only newer revisions have", () => {
  test.each(["nonsense", "task", "input_required", 7])(
    "members of newer revisions are left out when an older server sends them: resultType %j",
    async (resultType) => {
      const { gateway } = await openOdd({ script, ends });
      const client = await joinGateway(gateway, statelessRevision);
      const given = { resultType, ttlMs: 1e9, cacheScope: "public", requestState: "mine", inputRequests: {} };
      const result = await client.request("tools/call", call("kind", given));
      const { _meta, ...rest } = isObject(result) ? result : {};
      expect(rest).toEqual({ resultType: "complete", content: [{ type: "text", text: "done" }] });
    },
  );
});

describe("a message that is too long", () => {
  test.each([newest, statelessRevision])(
    "a message that is too long fails its call at $id, and the session continues",
    async (revision) => {
      const { gateway } = await openOdd({ script, ends });
      const client = await joinGateway(gateway, revision);
      await expect(client.request("tools/call", call("huge"))).rejects.toMatchObject({ code: -32603 });
      expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
    },
  );
});

describe("a deeply nested schema of a tool", () => {
  test("a deeply nested schema leaves out its tool, which is reported, and no other", async () => {
    const { gateway, reports } = await openOdd({ script, ends, env: { DEEP: "100" } });
    for (const revision of [newest, statelessRevision]) {
      const client = await joinGateway(gateway, revision);
      const listed = JSON.stringify(await client.request("tools/list", {}));
      expect([listed.includes('"deep"'), listed.includes('"pid"')]).toEqual([false, true]);
    }
    const report = 'The tool "deep" is omitted; it is nested deeper than 64 levels';
    expect(reports).toEqual([report, report]);
  });

  test.each([28, 29])("a deeply nested schema counts the levels of its message: %d pairs", async (pairs) => {
    const { gateway, reports } = await openOdd({ script, ends, env: { DEEP: String(pairs) } });
    const client = await joinGateway(gateway, newest);
    expect(JSON.stringify(await client.request("tools/list", {})).includes('"deep"')).toBe(pairs === 28);
    expect(reports).toHaveLength(pairs === 28 ? 0 : 1);
  });

  test("a schema too deep for any message leaves out its tool by name, for clients of each kind", async () => {
    const { gateway, reports } = await openOdd({ script, ends, env: { DEEP: "400" } });
    expect(reports).toContain('The item "deep" is left out of the list; more than 512 levels of nesting');
    for (const revision of [newest, statelessRevision]) {
      const client = await joinGateway(gateway, revision);
      expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
      const listed = JSON.stringify(await client.request("tools/list", {}));
      expect([listed.includes('"deep"'), listed.includes('"pid"')]).toEqual([false, true]);
    }
  });
});
