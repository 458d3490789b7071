import { expect, test } from "vitest";
import { planClient, type ClientPlan } from "../../../generator/typed-client/client/plan.ts";
import { readContract } from "../../../generator/typed-client/contract/read-contract.ts";

/* Plans of typed clients. A server may list the same entries in any order. */

const spellings = ["get.user", "GetUser", "getUser", "get_user"];

function planFor(names: readonly string[]): ClientPlan {
  const list = {
    tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
    prompts: names.map((name) => ({ name })),
    resourceTemplates: names.map((name) => ({ name: "get user", uriTemplate: `users://${name}/{id}` })),
  };
  return planClient(readContract(list, "list"), { name: "Users", readVariables: () => [] });
}

function namesIn({ tools, prompts, templates }: ClientPlan): object {
  const pairsOf = (list: readonly { readonly entry: { readonly name: string } }[]): object =>
    Object.fromEntries(list.map(({ entry, ...plan }) => [entry.name, plan]));
  const addresses = templates.map(({ entry, member }) => [member, entry.uriTemplate]);
  return { tools: pairsOf(tools), prompts: pairsOf(prompts), templates: Object.fromEntries(addresses) };
}

test("names in a client stand for the same entries in whatever order the server lists them", () => {
  const [one, other] = [planFor(spellings), planFor(spellings.toReversed())];
  expect(namesIn(one)).toEqual(namesIn(other));
  expect(namesIn(one)).toMatchObject({
    tools: {
      getUser: { member: "getUser", file: "get-user", type: "GetUser" },
      GetUser: { member: "getUser2" },
      "get.user": { member: "getUser3" },
      get_user: { member: "getUser4", file: "get-user4", type: "GetUser4" },
    },
    prompts: { getUser: { member: "getUser" } },
    templates: { getUser: "users://GetUser/{id}", getUser2: "users://get.user/{id}" },
  });
});

test("entries of a client stay in the order of the server's list", () => {
  expect(planFor(spellings).tools.map(({ entry }) => entry.name)).toEqual(spellings);
});

test("a tool that is nested too deeply for any message is left out by name, and no other", () => {
  const nest = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ properties: { a: inner } }), {});
  const tools = [
    { name: "deep", inputSchema: { type: "object", ...nest(5_000) } },
    { name: "flat", inputSchema: { type: "object" } },
  ];
  const options = { name: "Users", readVariables: () => [] };
  for (const value of [tools, { tools }, { result: { tools } }]) {
    const plan = planClient(readContract(value, "list"), options);
    expect(plan.tools.map(({ entry }) => entry.name)).toEqual(["flat"]);
    expect(plan.rejected).toEqual([{ name: "deep", reason: expect.stringContaining("nested deeper") }]);
  }
});
