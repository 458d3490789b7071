import { InputRequired } from "../input/input-required.ts";
import type { AnyContext, AnyTool } from "../any-definition.ts";

/** A tool that finds out first what it has to know, and then runs. */
export function withPreparation(tool: AnyTool): AnyTool {
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
export function preparationOf(tool: AnyTool, take: (args: unknown) => void): AnyTool {
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
export function afterPreparation(tool: AnyTool, args: unknown): AnyTool {
  return { ...tool, run: (_args, context) => tool.run(args, context) };
}

function readPrepare({ task }: AnyTool): ((args: unknown, context: AnyContext) => unknown) | undefined {
  return task === true ? undefined : task?.prepare;
}

async function prepare(tool: AnyTool, args: unknown, context: AnyContext): Promise<unknown> {
  const own = readPrepare(tool);
  return own ? own(args, context) : args;
}
