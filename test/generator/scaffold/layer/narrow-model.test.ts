import { describe, expect, it, test } from "vitest";
import { features, type Feature, type LayerChoices } from "../../../../generator/scaffold/layer/choices.ts";
import { narrowModel } from "../../../../generator/scaffold/layer/narrow-model.ts";
import type { RevisionModel, Shape } from "../../../../generator/model.ts";
import { models } from "../../../kit/projects.ts";

const [stateless, newestWithSessions] = models.models.toReversed();
const oldest = models.models[0];

/** Features limited to some methods. */
const limited = features.filter((feature) => feature !== "methods");

function choose(chosen: readonly Feature[], client = false): LayerChoices {
  return {
    revisions: [],
    features: chosen,
    transports: ["stdio"],
    client,
    validator: false,
    auth: "none",
  };
}

function narrow(model: RevisionModel | undefined, chosen: readonly Feature[]): RevisionModel {
  return narrowModel(model ?? expect.unreachable("the model is missing"), choose(chosen));
}

function methodNames({ methods }: RevisionModel): readonly string[] {
  return methods.map(({ name }) => name);
}

/** Names of the capabilities that a narrowed model checks as objects only. */
function openCapabilities(model: RevisionModel, name: string): readonly string[] {
  const shape = model.declarations.find((declaration) => declaration.name === name)?.shape;
  if (shape?.kind !== "object") return expect.unreachable(`${name} is no object`);
  return shape.properties.filter((property) => property.shape.kind === "anyObject").map((property) => property.name);
}

describe.each(models.models)("model of revision $id", (model) => {
  it("the model for a client is complete, regardless of the features of the server", () => {
    for (const feature of features) expect(narrowModel(model, choose([feature], true))).toBe(model);
  });

  it("the model for handlers by method is complete", () => {
    expect(narrow(model, ["tools", "methods"])).toBe(model);
  });

  it("the model keeps every method of the core protocol if all features are chosen", () => {
    expect(methodNames(narrow(model, limited))).toEqual(methodNames(model));
  });

  it("the model for a server with tools has only methods of tools and of the core protocol", () => {
    const kept = methodNames(narrow(model, ["tools"]));
    expect(kept).toEqual(expect.arrayContaining(["tools/list", "tools/call"]));
    const allowed =
      /^(tools\/(list|call)|initialize|ping|server\/discover|logging\/setLevel|notifications\/(initialized|cancelled|progress|message|tools\/list_changed))$/;
    expect(kept.filter((name) => !allowed.test(name))).toEqual([]);
  });

  it.each([
    ["resources", /^(notifications\/)?resources\//],
    ["prompts", /^(notifications\/)?prompts\//],
    ["input", /^(sampling|elicitation|roots|notifications\/(elicitation|roots))\//],
    ["tasks", /^(notifications\/)?tasks\//],
  ] as const)("the model keeps the methods of %s if and only if that feature is chosen", (feature, pattern) => {
    const methods = methodNames(model).filter((name) => pattern.test(name));
    const without = methodNames(
      narrow(
        model,
        limited.filter((one) => one !== feature),
      ),
    );
    expect(without.filter((name) => pattern.test(name))).toEqual([]);
    const [narrowed] = [methodNames(narrow(model, ["tools", feature]))];
    expect(narrowed.filter((name) => pattern.test(name))).toEqual(methods);
  });

  it("the model keeps completions for resources or prompts and omits them for tools", () => {
    expect(methodNames(narrow(model, ["tools"]))).not.toContain("completion/complete");
    for (const feature of ["resources", "prompts"] as const)
      expect(methodNames(narrow(model, ["tools", feature]))).toContain("completion/complete");
  });

  it("the model keeps every declaration, and changes only the results of the methods that it keeps", () => {
    const narrowed = narrow(model, ["tools"]);
    expect(narrowed.declarations.map(({ name }) => name)).toEqual(model.declarations.map(({ name }) => name));
    for (const { result: _result, alternatives: _alternatives, ...method } of narrowed.methods) {
      const {
        result: _,
        alternatives: __,
        ...whole
      } = model.methods.find(({ type }) => type === method.type) ?? expect.unreachable(method.type);
      expect(method).toEqual(whole);
    }
  });

  it("the model checks only capabilities of omitted features as objects", () => {
    const open = openCapabilities(narrow(model, ["tools"]), "ClientCapabilities");
    const whole = model.declarations.find(({ name }) => name === "ClientCapabilities")?.shape;
    const known = whole?.kind === "object" ? whole.properties.map(({ name }) => name) : [];
    expect(open).toEqual(known);
    const server = openCapabilities(narrow(model, ["tools"]), "ServerCapabilities");
    expect(server).not.toContain("tools");
    const typed = openCapabilities(narrow(model, limited), "ClientCapabilities");
    const before = openCapabilities(model, "ClientCapabilities");
    expect(typed.filter((name) => name !== "experimental")).toEqual(before.filter((name) => name !== "experimental"));
  });

  it("the original model is not changed by `narrowModel`", () => {
    const before = JSON.stringify(model);
    narrow(model, ["tools"]);
    expect(JSON.stringify(model)).toBe(before);
  });
});

describe("input requests", () => {
  const resultOf = (model: RevisionModel, name: string): Shape | undefined =>
    model.methods.find((method) => method.name === name)?.result;

  test("results may contain input requests only in a project with that feature", () => {
    expect(JSON.stringify(resultOf(narrow(stateless, ["tools", "input"]), "tools/call"))).toContain(
      "InputRequiredResult",
    );
    expect(resultOf(narrow(stateless, ["tools"]), "tools/call")).toEqual({ kind: "reference", name: "CallToolResult" });
  });

  test("responses of the client are objects in a project without that feature", () => {
    const paramsOf = (chosen: readonly Feature[]): string =>
      JSON.stringify(narrow(stateless, chosen).declarations.find(({ name }) => name === "InputResponseRequestParams"));
    expect(paramsOf(["tools", "input"])).toContain('{"kind":"reference","name":"InputResponses"}');
    expect(paramsOf(["tools"])).not.toContain('"InputResponses"');
    expect(paramsOf(["tools"])).toContain('"anyObject"');
  });
});

test("results of calls may be tasks only in a project with tasks", () => {
  const alternatives = (chosen: readonly Feature[]): number =>
    narrow(newestWithSessions, chosen).methods.reduce((sum, method) => sum + method.alternatives.length, 0);
  expect(alternatives(["tools", "tasks"])).toBeGreaterThan(0);
  expect(alternatives(["tools"])).toBe(0);
});

test("subscriptions to changes are omitted from a project with unchanging lists", () => {
  const listens = (chosen: readonly Feature[]): boolean =>
    methodNames(narrow(stateless, chosen)).some((name) => name.startsWith("subscriptions/"));
  expect([listens(["tools"]), listens(["tools", "input"])]).toEqual([false, false]);
  expect([listens(["tools", "list-changed"]), listens(["tools", "prompts"])]).toEqual([true, true]);
});

test("completions of the oldest revision, which has no capability for them, follow resources and prompts", () => {
  const gates = oldest?.methods.find(({ name }) => name === "completion/complete")?.gates;
  expect(gates?.server).toBeUndefined();
  expect(methodNames(narrow(oldest, ["tools"]))).not.toContain("completion/complete");
});
