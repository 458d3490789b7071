import { InputRequired } from "../input/input-required.ts";
import type { AnyContext, ToolSource } from "../any-definition.ts";

/** A tool that finds out first what it has to know, and then runs. */
export function withPreparation(tool: ToolSource): ToolSource {
  if (!readPrepare(tool)) return tool;
  return {
    ...tool,
    async run(args, context) {
      const ready = await prepare(tool, args, context);
      return ready instanceof InputRequired ? ready : tool.run(ready, context);
    },
  };
}

/** The first part of a tool: what it comes to is no result, but the arguments for the second, or what is needed first. */
export function preparationOf(tool: ToolSource, take: (args: unknown) => void): ToolSource {
  const { output: _output, ...rest } = tool;
  return {
    ...rest,
    async run(args, context) {
      const ready = await prepare(tool, args, context);
      if (ready instanceof InputRequired) return ready;
      take(ready);
      return "";
    },
  };
}

/** The second part, with these arguments. */
export function afterPreparation(tool: ToolSource, args: unknown): ToolSource {
  return { ...tool, run: (_args, context) => tool.run(args, context) };
}

function readPrepare({ task }: ToolSource): ((args: unknown, context: AnyContext) => unknown) | undefined {
  return task === true ? undefined : task?.prepare;
}

async function prepare(tool: ToolSource, args: unknown, context: AnyContext): Promise<unknown> {
  const own = readPrepare(tool);
  return own ? own(args, context) : args;
}
