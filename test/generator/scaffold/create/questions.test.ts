import { describe, expect, it, vi } from "vitest";
import { extras, readSelection, type SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import { providerNames } from "../../../../generator/scaffold/providers/provider.ts";
import { askSelection } from "../../../../generator/scaffold/create/questions.ts";

interface Asked {
  readonly message: string;
  readonly options?: readonly { readonly value: string }[];
  readonly initialValue?: unknown;
  readonly initialValues?: unknown;
}

const { answers, asked } = vi.hoisted(() => ({ answers: new Map<string, unknown>(), asked: new Array<Asked>() }));

/** A person who answers what a test says, and else takes what is proposed. */
vi.mock("@clack/prompts", () => {
  const answer = async (question: Asked): Promise<unknown> => {
    asked.push(question);
    return answers.get(question.message) ?? question.initialValue ?? question.initialValues;
  };
  return { confirm: answer, select: answer, multiselect: answer, isCancel: () => false };
});

const who = "Authentication over HTTP";
const how = "Transport";
const where = "Target";

/** Choice of a transport, or of the target that has it. */
function choose(transport: string): Readonly<Record<string, string>> {
  return transport === "worker" ? { [where]: "worker" } : { [how]: transport };
}

async function ask(given: SelectionText, said: Readonly<Record<string, unknown>> = {}) {
  asked.length = 0;
  answers.clear();
  for (const [message, value] of Object.entries(said)) answers.set(message, value);
  const selection = await askSelection({ given, asked: readSelection(given) });
  const question = (message: string): readonly string[] | undefined =>
    asked.find((one) => one.message === message)?.options?.map(({ value }) => value);
  return { selection, question };
}

const files = "Extra files";

describe("the prompt for features", () => {
  it("the prompt for features does not offer tools, which are always included", async () => {
    const { selection, question } = await ask({}, { "Features in addition to tools": [] });
    expect(question("Features in addition to tools")).not.toContain("tools");
    expect(selection.features).toEqual(["tools"]);
  });
});

describe("the prompt for extra files", () => {
  it.each([
    ["stdio", []],
    ["http", ["claude-desktop", "mcpb"]],
    ["worker", ["docker", "claude-desktop", "mcpb", "otel"]],
  ])("the prompt for extra files offers those that can start a server on %s", async (transport, without) => {
    const { question } = await ask({}, choose(transport));
    expect(extras.filter((extra) => !question(files)?.includes(extra))).toEqual(without);
  });

  it("an extra file on the command line is rejected if it cannot start the server", async () => {
    await expect(ask({ extras: "mcpb" }, { [how]: "http" })).rejects.toThrow("--extras mcpb");
    expect((await ask({ extras: "all" }, { [how]: "http" })).selection.extras).not.toContain("mcpb");
  });
});

describe("the prompt for the authorization server", () => {
  const server = "Authorization server";

  it("the prompt for the authorization server follows that for access tokens, and offers the presets and any other", async () => {
    const { selection, question } = await ask({}, { [how]: "http", [who]: "oauth", [server]: "entra" });
    expect(question(server)).toEqual(["other", ...providerNames]);
    expect(selection).toMatchObject({ auth: "oauth", provider: "entra" });
    expect((await ask({}, { [how]: "http", [who]: "oauth" })).selection).not.toHaveProperty("provider");
    expect((await ask({}, { [how]: "http", [who]: "api-key" })).question(server)).toBeUndefined();
  });

  it("a preset on the command line stays, and needs no prompt for the authentication", async () => {
    const { selection, question } = await ask({ provider: "auth0" });
    expect([question(server), question(who)]).toEqual([undefined, undefined]);
    expect(selection).toMatchObject({ auth: "oauth", provider: "auth0" });
  });
});

describe("a framework on the command line", () => {
  it.each(["express", "next"] as const)("%s determines the target, the transport and the engine", async (mount) => {
    const { selection, question } = await ask({ mount });
    expect([where, how, "Engine for several nodes"].map(question)).toEqual([undefined, undefined, undefined]);
    expect(question(files)?.includes("docker")).toBe(mount === "express");
    expect(selection).toMatchObject({ mount, target: "node", transport: "http", scale: "none" });
  });

  it.each(["express", "next"] as const)("%s gets all extra files that suit it", async (mount) => {
    const { selection } = await ask({ mount, extras: "all" });
    expect(selection.extras).toEqual(readSelection({ mount, extras: "all" }).extras);
  });
});

describe("the prompt for the target", () => {
  it("the prompt for the target offers every platform, and replaces the prompt for the transport", async () => {
    const { selection, question } = await ask({}, { [where]: "lambda" });
    expect(question(where)).toEqual(["node", "worker", "lambda", "vercel", "deno", "bun"]);
    expect(question(how)).toBeUndefined();
    expect(question("Features in addition to tools")).not.toContain("tasks");
    expect(selection).toMatchObject({ target: "lambda", transport: "worker" });
  });

  it("the prompt for the target offers those that have the given features", async () => {
    expect((await ask({ features: "tasks" })).question(where)).toEqual(["node", "deno", "bun"]);
  });

  it.each([{ transport: "http" }, { target: "bun" }, { scale: "redis" }])(
    "the prompt for the target is not shown with %j",
    async (given) => {
      expect((await ask(given)).question(where)).toBeUndefined();
    },
  );
});

describe("the prompt for several nodes", () => {
  const scale = "Engine for several nodes";

  it.each(["http", "both"])("the prompt for several nodes is shown for %s, and adds the image", async (transport) => {
    const { selection, question } = await ask({ extras: "none" }, { [how]: transport, [scale]: "redis" });
    expect(question(scale)).toEqual(["none", "redis", "nats"]);
    expect(selection).toMatchObject({ transport, scale: "redis", extras: ["docker"] });
  });

  it.each(["stdio", "worker"])("the prompt for several nodes is not shown for %s", async (transport) => {
    const { selection, question } = await ask({}, choose(transport));
    expect(question(scale)).toBeUndefined();
    expect(selection).toMatchObject({ transport, scale: "none" });
  });

  it("the prompt for several nodes is not shown if --scale is given, and only transports over HTTP are offered", async () => {
    const { question } = await ask({ scale: "redis" });
    expect(question(scale)).toBeUndefined();
    expect(question(how)).toEqual(["http", "both"]);
  });
});

describe("the prompt for protection", () => {
  it.each(["http", "both", "worker"])("the prompt for protection is shown for %s", async (transport) => {
    const { selection, question } = await ask({}, { ...choose(transport), [who]: "oauth" });
    expect(question(who)).toEqual(["none", "oauth", "api-key"]);
    expect(selection).toMatchObject({ transport, auth: "oauth" });
  });

  it.each(["stdio"])("the prompt for protection is not shown for %s", async (transport) => {
    const { selection, question } = await ask({}, choose(transport));
    expect(question(who)).toBeUndefined();
    expect(selection).toMatchObject({ transport, auth: "none" });
  });

  it("the prompt for protection is not shown if --auth is given, and only transports with authentication are offered", async () => {
    const { selection, question } = await ask({ auth: "api-key" }, { [how]: "both" });
    expect(question(who)).toBeUndefined();
    expect(question(how)).toEqual(["http", "both"]);
    expect(selection).toMatchObject({ transport: "both", auth: "api-key" });
  });

  it("choices on the command line are not changed by prompts", async () => {
    const { selection } = await ask({ transport: "http", auth: "none", schema: "json", client: true, extras: "none" });
    expect(selection).toMatchObject({ transport: "http", auth: "none", schema: "json", client: true, extras: [] });
  });
});
