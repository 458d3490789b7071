import { InputRequired } from "../input/input-required.ts";
import type { AnyTool } from "../any-definition.ts";
import type { AnyContext } from "../protocol-types.ts";

/** Returns a tool that runs `prepare` first, and then `execute` with the arguments returned by `prepare`. */
export function withPreparation(tool: AnyTool): AnyTool {
  if (!readPrepare(tool)) return tool;
  return {
    ...callableMembersOf(tool),
    async execute(args, context) {
      const ready = await prepare(tool, args, context);
      return ready instanceof InputRequired ? ready : tool.execute(ready, context);
    },
  };
}

/** Returns the first part of a tool: it passes the arguments for the second part to `take`, or returns the required input. */
export function preparationOf(tool: AnyTool, take: (args: unknown) => void): AnyTool {
  const { outputSchema: _output, ...rest } = callableMembersOf(tool);
  return {
    ...rest,
    async execute(args, context) {
      const ready = await prepare(tool, args, context);
      if (ready instanceof InputRequired) return ready;
      take(ready);
      return "";
    },
  };
}

/** Returns the second part of a tool, which runs with these arguments. */
export function afterPreparation(tool: AnyTool, args: unknown): AnyTool {
  return { ...callableMembersOf(tool), execute: (_args, context) => tool.execute(args, context) };
}

/** Returns the members a call uses beside `execute`, including inherited ones of a class. */
function callableMembersOf(tool: AnyTool): Omit<AnyTool, "execute"> {
  const { name, inputSchema, outputSchema, task } = tool;
  return {
    name,
    ...(inputSchema && { inputSchema }),
    ...(outputSchema && { outputSchema }),
    ...(task && { task }),
    ...(tool.render && { render: (output: unknown) => tool.render?.(output) }),
  };
}

function readPrepare({ task }: AnyTool): ((args: unknown, context: AnyContext) => unknown) | undefined {
  return task === true ? undefined : task?.prepare;
}

async function prepare(tool: AnyTool, args: unknown, context: AnyContext): Promise<unknown> {
  const own = readPrepare(tool);
  return own ? own(args, context) : args;
}
