import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { tableSpecs } from "../../../../generator/emit/method-text.ts";
import { features, type Feature } from "../../../../generator/scaffold/layer/choices.ts";
import type { Declaration, Method, RevisionModel, Shape } from "../../../../generator/model.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Check, type Revision } from "../../../../generated/support.ts";
import { mutate } from "../../../oracle/mutations.ts";
import { createRandom } from "../../../kit/random.ts";
import { createValueMaker } from "../../../oracle/values.ts";
import { allRevisions, emitFolder, linkPackages, models, writeFiles } from "../../../kit/projects.ts";

/* The checks of a project judge messages as the checks of the whole revision do, except where a project without a feature reads less. */

vi.setConfig({ testTimeout: 120_000 });

const tableNames = tableSpecs.map(({ name }) => name);

/** Part of a method that a check judges. */
type Part = "params" | "result";

interface Row {
  readonly method: string;
  readonly params?: Check;
  readonly result?: Check;
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "subset-")));
linkPackages(root);
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Loaded = ReadonlyMap<string, Revision>;

const loading = new Map<string, Promise<Loaded>>();

/** Emits a project with these features, and loads the data of its revisions. */
function loadRevisions(chosen: readonly Feature[], only = allRevisions): Promise<Loaded> {
  const key = [...chosen, ...only].join("-");
  const found = loading.get(key) ?? emitRevisions(join(root, key), chosen, only);
  loading.set(key, found);
  return found;
}

async function emitRevisions(folder: string, chosen: readonly Feature[], only: readonly string[]): Promise<Loaded> {
  writeFiles(folder, await emitFolder({ features: chosen, revisions: only }));
  const load = async (id: string): Promise<[string, Revision]> => {
    const { revision }: { readonly revision: Revision } = await import(
      pathToFileURL(join(folder, id, "methods.ts")).href
    );
    return [id, revision];
  };
  return new Map(await Promise.all(only.map(load)));
}

function rowsOf(revision: Revision, table: (typeof tableNames)[number]): ReadonlyMap<string, Row> {
  return new Map(Object.entries<Row>({ ...revision[table] }));
}

function wholeOf(id: string): Revision {
  return revisions.find((revision) => revision.id === id) ?? expect.unreachable(id);
}

/** Creates a function that makes valid params and results of the methods of a model. */
function createPartMaker(model: RevisionModel, seed: number) {
  const nameOf = ({ type }: Method, part: Part): string => `${type}/${part}`;
  const location = { line: 1, column: 1 };
  const declare = (name: string, shape: Shape): Declaration => ({ name, kind: "alias", extends: [], shape, location });
  const parts = model.methods.flatMap((method): Declaration[] => {
    const tasks = method.alternatives.map(({ type: name }): Shape => ({ kind: "reference", name }));
    const of = [...(method.result ? [method.result] : []), ...tasks];
    return [
      declare(nameOf(method, "params"), method.params?.shape ?? { kind: "object", properties: [] }),
      declare(nameOf(method, "result"), { kind: "union", of }),
    ];
  });
  const random = createRandom(seed);
  const make = createValueMaker({ ...model, declarations: [...model.declarations, ...parts] }, random);
  return { random, make: (method: Method, part: Part): unknown => make(nameOf(method, part)) };
}

/** Capabilities that a project with these features does not use. */
function unusedCapabilities(chosen: readonly Feature[]): ReadonlySet<string> {
  const has = (...any: readonly Feature[]): boolean => any.some((one) => chosen.includes(one));
  return new Set([
    "experimental",
    ...(has("resources") ? [] : ["resources"]),
    ...(has("prompts") ? [] : ["prompts"]),
    ...(has("resources", "prompts") ? [] : ["completions"]),
    ...(has("input") ? [] : ["sampling", "elicitation", "roots"]),
    ...(has("tasks") ? [] : ["tasks"]),
    ...(has("tasks", "skills", "apps") ? [] : ["extensions"]),
  ]);
}

const capabilityKeys = ["capabilities", "io.modelcontextprotocol/clientCapabilities"];

/** Changes a message so that the whole revision judges it as the project does, which knows no requests for input without that feature. */
function simplify(value: unknown, chosen: readonly Feature[]): unknown {
  const emptied = emptyUnused(value, chosen);
  const isPlain = chosen.includes("input") || !isObject(emptied) || emptied["resultType"] !== "input_required";
  return isPlain ? emptied : { ...emptied, resultType: "complete" };
}

/** Empties the parts of a message that the project checks to be objects only. Everything else stays as it is. */
function emptyUnused(value: unknown, chosen: readonly Feature[]): unknown {
  if (Array.isArray(value)) return value.map((item) => emptyUnused(item, chosen));
  if (!isObject(value)) return value;
  const unused = unusedCapabilities(chosen);
  const entries = Object.entries(value).map(([key, own]): [string, unknown] => {
    if (capabilityKeys.includes(key) && isObject(own))
      return [key, mapMembers(own, (name, member) => (unused.has(name) && isObject(member) ? {} : member))];
    if (key === "inputResponses" && !chosen.includes("input") && isObject(own)) return [key, {}];
    return [key, emptyUnused(own, chosen)];
  });
  return Object.fromEntries(entries);
}

function mapMembers(value: object, change: (name: string, member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(name, member)]));
}

/** True if a result is one that a server with these features never gives: a request for input, or a task. */
function isOmittedResult(value: unknown, method: Method, chosen: readonly Feature[]): boolean {
  if (!isObject(value)) return false;
  const asks = !chosen.includes("input") && value["resultType"] === "input_required";
  const isTask = !chosen.includes("tasks") && method.alternatives.some(({ mark }) => value[mark] !== undefined);
  return asks || isTask;
}

const subsets: readonly (readonly Feature[])[] = [
  ["tools"],
  ["tools", "list-changed"],
  ["tools", "input"],
  ["tools", "tasks"],
  ["tools", "resources"],
  ["tools", "resources", "prompts"],
  ["tools", "resources", "skills", "apps"],
  features,
];

describe.each(subsets.map((chosen) => ({ name: chosen.join(","), chosen })))("checks of $name", ({ chosen }) => {
  test("checks of the subset accept and reject the same messages as all checks, except for omitted features", async () => {
    const loaded = await loadRevisions(chosen);
    const counts = { judged: 0, accepted: 0, looser: 0, stricter: 0 };
    for (const model of models.models) {
      const revision = loaded.get(model.id) ?? expect.unreachable(model.id);
      const { random, make } = createPartMaker(model, Number(model.id.replaceAll("-", "")));
      const judgeValue = (own: Check, whole: Check, { method, part, value }: Judged): void => {
        const [isAccepted, isWhole] = [own(value) === undefined, whole(value) === undefined];
        counts.judged += 1;
        if (isAccepted) counts.accepted += 1;
        if (isAccepted === isWhole) return;
        const text = `${model.id} ${method.name} ${part}: ${JSON.stringify(value)}`;
        counts[isAccepted ? "looser" : "stricter"] += 1;
        if (isAccepted) expect(whole(simplify(value, chosen)), text).toBeUndefined();
        else expect(part === "result" && isOmittedResult(value, method, chosen), text).toBe(true);
      };
      for (const table of tableNames)
        for (const [name, own] of rowsOf(revision, table)) {
          const whole = rowsOf(wholeOf(model.id), table).get(name) ?? expect.unreachable(name);
          for (const method of model.methods.filter((one) => one.name === name))
            for (const part of ["params", "result"] as const) {
              const [ownCheck, wholeCheck] = [own[part], whole[part]];
              expect(ownCheck === undefined).toBe(wholeCheck === undefined);
              if (!ownCheck || !wholeCheck) continue;
              for (let round = 0; round < 12; round++) {
                const value = make(method, part);
                judgeValue(ownCheck, wholeCheck, { method, part, value });
                for (let at = 0; at < 12; at++)
                  judgeValue(ownCheck, wholeCheck, { method, part, value: mutate(value, random).value });
              }
            }
        }
    }
    expect(counts.judged).toBeGreaterThan(10_000);
    expect(counts.accepted / counts.judged).toBeGreaterThan(0.2);
    expect(counts.accepted / counts.judged).toBeLessThan(0.9);
    // A project with every feature reads all that the revision has but experiments.
    if (chosen.length === features.length) expect(counts.stricter).toBe(0);
    else expect(counts.looser).toBeGreaterThan(0);
  });

  test("checks of the subset belong to rows that equal those of the whole revision", async () => {
    for (const [id, revision] of await loadRevisions(chosen))
      for (const table of tableNames)
        for (const [name, row] of rowsOf(revision, table)) {
          const whole = rowsOf(wholeOf(id), table).get(name);
          const facts = (one: object = {}): object => ({
            ...one,
            params: undefined,
            result: undefined,
            kinds: undefined,
          });
          expect(facts(row), `${id} ${name}`).toEqual(facts(whole));
        }
  });
});

interface Judged {
  readonly method: Method;
  readonly part: Part;
  readonly value: unknown;
}

describe("capabilities of an omitted feature", async () => {
  const tools = await loadRevisions(["tools"]);
  const every = await loadRevisions(features);
  const sessions = allRevisions.filter((id) => wholeOf(id).lifecycle === "handshake");

  function initialize(capabilities: object): object {
    return { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "c", version: "1" } };
  }

  const checkOf = (loaded: Loaded, id: string): Check =>
    rowsOf(loaded.get(id) ?? expect.unreachable(id), "clientRequests").get("initialize")?.params ??
    expect.unreachable(id);

  test.each(sessions)("capabilities at %s are only checked to be objects", (id) => {
    const check = checkOf(tools, id);
    const whole = checkOf(new Map([[id, wholeOf(id)]]), id);
    for (const value of [{ roots: { listChanged: "yes" } }, { experimental: { a: 1 } }]) {
      expect(check(initialize(value)), JSON.stringify(value)).toBeUndefined();
      expect(whole(initialize(value)), JSON.stringify(value)).toBeDefined();
    }
    for (const value of [{ roots: true }, { sampling: [] }, { sampling: null }, { experimental: "x" }])
      expect(check(initialize(value)), JSON.stringify(value)).toBeDefined();
  });

  test.each(sessions)("capabilities at %s are fully checked if the project has the feature", (id) => {
    expect(checkOf(every, id)(initialize({ roots: { listChanged: "yes" } }))).toBeDefined();
    expect(checkOf(every, id)(initialize({ roots: { listChanged: true } }))).toBeUndefined();
  });

  test("capabilities in the metadata of stateless requests are only checked to be objects", () => {
    const id = allRevisions.find((one) => wholeOf(one).lifecycle === "per-request") ?? expect.unreachable();
    const listOf = (loaded: Loaded): Check =>
      rowsOf(loaded.get(id) ?? expect.unreachable(id), "clientRequests").get("tools/list")?.params ??
      expect.unreachable(id);
    const params = (capabilities: unknown): object => ({
      _meta: {
        "io.modelcontextprotocol/protocolVersion": id,
        "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      },
    });
    for (const value of [{ sampling: { tools: 1 } }, { elicitation: { form: "x" } }, { extensions: { a: 1 } }]) {
      expect(listOf(tools)(params(value)), JSON.stringify(value)).toBeUndefined();
      expect(listOf(new Map([[id, wholeOf(id)]]))(params(value)), JSON.stringify(value)).toBeDefined();
      expect(listOf(every)(params(value)), JSON.stringify(value)).toBeDefined();
    }
    for (const value of [{ sampling: 1 }, { elicitation: [] }, 7, null])
      expect(listOf(tools)(params(value)), JSON.stringify(value)).toBeDefined();
  });
});

test("checks imported from a newer revision accept and reject the same messages as checks of the revision itself", async () => {
  const together = await loadRevisions(["tools", "resources", "prompts"]);
  for (const model of models.models) {
    const [stateless] = (await loadRevisions(["tools", "resources", "prompts"], [model.id])).values();
    const shared = together.get(model.id) ?? expect.unreachable(model.id);
    const { random, make } = createPartMaker(model, 7);
    for (const [name, { params }] of rowsOf(stateless ?? expect.unreachable(), "clientRequests"))
      for (const method of model.methods.filter((one) => one.name === name))
        for (let round = 0; round < 20; round++) {
          const { value } = mutate(make(method, "params"), random);
          expect(rowsOf(shared, "clientRequests").get(name)?.params?.(value)).toEqual(params?.(value));
        }
  }
});
