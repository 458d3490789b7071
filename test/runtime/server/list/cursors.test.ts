import { describe, expect, test } from "vitest";
import { createSignedCursors } from "../../../../runtime/server/list/cursors.ts";

describe("signed cursors", () => {
  const cursors = createSignedCursors(undefined);
  const scope = "tools\n2001-01-01\n3";
  const rejection = { code: -32602, message: "Invalid cursor; request the list without a cursor" };

  test.each(["0", "1", "999999999"])(
    "signed cursors lead to the position %s in the list that they were made for",
    async (place) => {
      expect(await cursors.verify(scope, await cursors.sign(scope, place))).toBe(place);
    },
  );

  test.each(["tools\n2001-01-01\n4", "prompts\n2001-01-01\n3", "", `1/${scope}`])(
    "signed cursors are rejected for the list %j",
    async (other) => {
      await expect(cursors.verify(other, await cursors.sign(scope, "1"))).rejects.toMatchObject(rejection);
    },
  );

  const list = "tools/2001-01-01/3";

  test.each(["", "/", "1", `/${list}`, `-1/${list}`, `1.5/${list}`, `1e3/${list}`, ` 1/${list}`, `1/${list} `])(
    "a text such as %j is no signed cursor",
    async (text) => {
      await expect(cursors.verify(scope, text)).rejects.toMatchObject(rejection);
    },
  );

  test("signed cursors are bounded in length", async () => {
    await expect(cursors.verify(scope, `${"9".repeat(100_000)}/${list}`)).rejects.toMatchObject(rejection);
  });
});
