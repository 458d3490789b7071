import { describe, expect, it, vi } from "vitest";
import { extras, readSelection, type SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
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

const who = "Who may call it over HTTP?";
const how = "How is it reached?";

async function ask(given: SelectionText, said: Readonly<Record<string, unknown>> = {}) {
  asked.length = 0;
  answers.clear();
  for (const [message, value] of Object.entries(said)) answers.set(message, value);
  const selection = await askSelection({ given, asked: readSelection(given) });
  const question = (message: string): readonly string[] | undefined =>
    asked.find((one) => one.message === message)?.options?.map(({ value }) => value);
  return { selection, question };
}

const files = "Which further files?";

describe("a person is asked what else is offered", () => {
  it("because tools are always there", async () => {
    const { selection, question } = await ask({}, { "Which features besides tools?": [] });
    expect(question("Which features besides tools?")).not.toContain("tools");
    expect(selection.features).toEqual(["tools"]);
  });
});

describe("a person is offered further files", () => {
  it.each([
    ["stdio", []],
    ["http", ["claude-desktop", "mcpb"]],
    ["worker", ["docker", "claude-desktop", "mcpb"]],
  ])("that can start what is reached over %s", async (transport, without) => {
    const { question } = await ask({}, { [how]: transport });
    expect(extras.filter((extra) => !question(files)?.includes(extra))).toEqual(without);
  });

  it("and is told which of those on the command line cannot", async () => {
    await expect(ask({ extras: "mcpb" }, { [how]: "http" })).rejects.toThrow("--extras mcpb");
    expect((await ask({ extras: "all" }, { [how]: "http" })).selection.extras).not.toContain("mcpb");
  });
});

describe("a person is asked who may call a server", () => {
  it.each(["http", "both", "worker"])("where it is reached over %s", async (transport) => {
    const { selection, question } = await ask({}, { [how]: transport, [who]: "oauth" });
    expect(question(who)).toEqual(["none", "oauth", "api-key"]);
    expect(selection).toMatchObject({ transport, auth: "oauth" });
  });

  it.each(["stdio"])("but not where it is reached over %s", async (transport) => {
    const { selection, question } = await ask({}, { [how]: transport });
    expect(question(who)).toBeUndefined();
    expect(selection).toMatchObject({ transport, auth: "none" });
  });

  it("but not when it was said already; then only ways are offered in which callers can be asked", async () => {
    const { selection, question } = await ask({ auth: "api-key" }, { [how]: "both" });
    expect(question(who)).toBeUndefined();
    expect(question(how)).toEqual(["http", "both", "worker"]);
    expect(selection).toMatchObject({ transport: "both", auth: "api-key" });
  });

  it("and leaves what was given as it is", async () => {
    const { selection } = await ask({ transport: "http", auth: "none", schema: "json", client: true, extras: "none" });
    expect(selection).toMatchObject({ transport: "http", auth: "none", schema: "json", client: true, extras: [] });
  });
});
