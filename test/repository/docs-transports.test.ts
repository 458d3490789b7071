import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInMemoryTransports } from "../../runtime/index.ts";
import * as transports from "../../runtime/transport/index.ts";

/* What is written about transports that the specification does not have. Whether it is true the tests of each transport say (TX-01, TX-03, TX-04). */

const page = readFileSync(join(import.meta.dirname, "../../docs/transports.md"), "utf8");
const [head = [], , ...rows] = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test("every transport of our own is documented: establishment, framing and cancellation (TX-02)", () => {
  expect(head).toEqual(["transport", "made by", "establishment", "framing", "cancellation"]);
  const cells = rows.flat();
  expect(cells.filter((cell) => cell.length < 3)).toEqual([]);
  const made = rows.flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  // Whatever the runtime has that makes or serves a transport, but for those of the specification.
  const known = Object.keys({ createInMemoryTransports, ...transports }).filter((name) =>
    /^(?:create\w*Transport|createInMemoryTransports|listen(?!Http)\w+)$/.test(name),
  );
  const own = known.filter((name) => !/Http|Sse|Stdio|ChildProcess/.test(name));
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((name) => !made.includes(name))).toEqual([]);
});
