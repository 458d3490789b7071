import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import type { AnyContext } from "../../../../runtime/server/protocol-types.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { newest } from "../../../kit/revisions.ts";
import { readText } from "../invalid-server-gateway.ts";
import { elicitForm, createProgramOf, joinStateless, openProgram, toRetry, type Ends } from "./programs.ts";

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const asks = {
  name: "asks",
  execute: (_args: object, context: AnyContext) => elicitForm(context),
};

test("a gateway in front of another one continues calls that need input", async () => {
  const inner = await openProgram(
    createProgramOf(() => ({ tools: [asks] }), newest),
    { ends },
  );
  const outer = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      inner.accept(far);
      return connect(near, options);
    },
    { revisions },
  );
  ends.push(() => outer.close());
  const client = await joinStateless(outer, ends);
  const result = await client.request("tools/call", { name: "asks", arguments: {} });
  const retry = { name: "asks", arguments: {}, ...toRetry(result) };
  expect(readText(await client.request("tools/call", retry))).toBe("accept");
});
