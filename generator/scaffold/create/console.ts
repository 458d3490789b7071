import { timePhase } from "../../internal/phase.ts";
import { interrupted, interruptedExitCode, UserError } from "../../internal/user-error.ts";

/** Output of the command: plain lines, or colours and a progress line in a terminal. */
export interface Screen {
  /** Shows progress until a step is done; `done` returns the final line. */
  step<Result>(title: string, work: () => Promise<Result>, done: (result: Result) => string): Promise<Result>;
  /** Reports a problem and continues. */
  warn(text: string): void;
  /** Prints the closing title and lines. */
  end(title: string, lines: readonly string[]): void;
}

/** Screen with one printed line per event: for logs, pipes and CI. */
export const plainScreen: Screen = {
  async step(title, work, done) {
    console.log(`${title} ...`);
    const result = await timePhase(title, work);
    console.log(done(result));
    return result;
  },
  warn: (text) => console.error(`Warning: ${text}`),
  end: (title, lines) => console.log(["", title, "", ...lines, ""].join("\n")),
};

/** Creates a screen for a terminal. Loads the prompts library on call: plain output does not need it. */
export async function createTerminalScreen(): Promise<Screen> {
  const { log, outro } = await import("@clack/prompts");
  return {
    async step(title, work, done) {
      const hide = showProgress(title);
      try {
        const result = await timePhase(title, work);
        hide();
        log.step(done(result));
        return result;
      } finally {
        hide();
      }
    },
    warn: (text) => log.warn(wrapWords(text)),
    end(title, lines) {
      outro(wrapWords(title).replaceAll("\n", "\n   "));
      // Printed without a frame, so that the commands can be copied.
      console.log([...lines, ""].join("\n"));
    },
  };
}

/**
 * Shows a running step, and how long it takes. The spinner of the library is not used: at Ctrl-C it ends the process with code 0, even if other work
 * is still running. Returns a function to remove the line.
 */
function showProgress(title: string): () => void {
  const start = performance.now();
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - start) / 1000);
    process.stdout.write(`${clearLine}${title} ${".".repeat(1 + (seconds % 3)).padEnd(3)} ${seconds} s`);
  };
  draw();
  const timer = setInterval(draw, 250);
  return () => {
    clearInterval(timer);
    process.stdout.write(clearLine);
  };
}

const clearLine = "\r\u001B[2K";

/** Wraps a text at word boundaries to fit between the frame and the edge of the terminal, which would break lines within words. */
export function wrapWords(text: string, columns: number = process.stdout.columns ?? Infinity): string {
  const width = columns - frameWidth;
  const add = (lines: readonly string[], word: string): readonly string[] => {
    const [last = ""] = lines.slice(-1);
    return last.length + 1 + word.length > width ? [...lines, word] : [...lines.slice(0, -1), `${last} ${word}`];
  };
  const wrap = (line: string): string => {
    const [first = "", ...words] = line.split(" ");
    return words.reduce(add, [first]).join("\n");
  };
  return text.split("\n").map(wrap).join("\n");
}

const frameWidth = 3;

/** Greets the user before the first prompt. */
export async function greet(version: string): Promise<void> {
  const { intro } = await import("@clack/prompts");
  intro(`create-mcp-server ${version}`);
}

/** Asks where the project goes until the folder is usable. @throws {UserError} when the user cancels. */
export async function askDirectory<Place>(find: (directory: string) => Promise<Place>): Promise<Place> {
  const { isCancel, log, text } = await import("@clack/prompts");
  const proposal = await propose(find);
  for (;;) {
    const answer = await text({
      message: "Project folder",
      placeholder: proposal,
      defaultValue: proposal,
    });
    if (isCancel(answer)) throw interrupted();
    try {
      return await find(answer);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      log.warn(wrapWords(error.message));
    }
  }
}

const proposals = ["my-mcp-server", ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `my-mcp-server-${number}`)] as const;

/** Returns the first free default name, for the user to accept with Enter. */
async function propose<Place>(find: (directory: string) => Promise<Place>): Promise<string> {
  for (const name of proposals) {
    const isFree = await find(name).then(
      () => true,
      () => false,
    );
    if (isFree) return name;
  }
  return proposals[0];
}

/** Facts of a project, for the user to confirm before anything is written. */
export interface Question {
  readonly folder: string;
  readonly name: string;
  /** Revisions to choose from, newest first; empty when they are settled already. */
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
}

/** Asks for the revisions and for consent. Returns the chosen revisions. @throws {UserError} when the user cancels. */
export async function askPerson({ folder, name, choices, chosen }: Question): Promise<readonly string[]> {
  const { confirm, isCancel, multiselect } = await import("@clack/prompts");
  const revisions =
    choices.length === 0
      ? chosen
      : await multiselect({
          message: "Protocol revisions to support",
          options: choices.map((id) => ({ value: id, label: id })),
          initialValues: [...chosen],
          required: true,
        });
  if (isCancel(revisions)) throw interrupted();
  const message = `Create ${name} (${revisions.join(", ")}) in ${folder}?`;
  const isWanted = await confirm({ message, active: "Yes", inactive: "No" });
  if (isCancel(isWanted)) throw interrupted();
  if (!isWanted) throw new UserError("nothing was written.", { exitCode: interruptedExitCode });
  return revisions;
}
