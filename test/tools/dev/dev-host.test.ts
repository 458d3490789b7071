import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { DevHost } from "../../../tools/dev/dev-host.ts";
import type { ServedOptions } from "../../../tools/dev/swapped-options.ts";
import { allFeatures } from "../../../runtime/server/create-server.ts";

test("the cluster of a version that is not used is closed", async () => {
  const reports: string[] = [];
  const host = new DevHost({
    report: (text) => void reports.push(text),
    served() {},
    unserved() {},
    listening() {},
    closed() {},
  });
  const closed: string[] = [];
  /** Serves a version of a program, as its module does while it is loaded. */
  const serve = async (name: string, spoken: readonly Revision[]): Promise<void> => {
    const url = `data:text/javascript,"${name}"`;
    const loaded = host.load(url);
    const server = host.build(url, (slot) => slot.build({ name: "test", version: "1" }, spoken, allFeatures));
    const options: ServedOptions = { cluster: { close: async () => void closed.push(name) } };
    await host.serve(url, { server, options, start: async () => {} });
    await loaded;
  };
  await serve("first", revisions);
  onTestFinished(() => host.servers[0]?.close());
  await serve("rejected", revisions.slice(0, 1));
  expect(closed).toEqual(["rejected"]);
  await serve("used", revisions);
  expect(closed).toEqual(["rejected", "used"]);
  expect(reports).toEqual(["not reloaded; the last version stays", "reloaded"]);
});
