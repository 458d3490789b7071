import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");

/** Folders whose tests have scripts of their own. */
const others = /^(browser|oracle|scaffold|tour|upstream|wire)\/|node_modules/;

/** Imports and names of programs that a fresh clone need not have. */
const programs =
  /processes\/(balancer|nats|redis|sentinel)-\w+\.ts"|"(haproxy|nats-server|nginx|openssl|redis-server)"/;

test("tests of `npm test` start no program but Node: those that do end with .scale.ts", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !others.test(name));
  const tests = files.filter((name) => name.endsWith(".test.ts") && name !== "repository/programs.test.ts");
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.filter((name) => programs.test(readFileSync(join(folder, name), "utf8")))).toEqual([]);
  const scale = files.filter((name) => name.endsWith(".scale.ts"));
  expect(scale.filter((name) => programs.test(readFileSync(join(folder, name), "utf8"))).length).toBeGreaterThan(10);
});
