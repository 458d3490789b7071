import { interrupted, UserError } from "../user-error.ts";

/** How the command talks to a person: plain lines, or with colours and a spinner in a terminal. */
export interface Screen {
  /** Shows that a step runs until it is done; `done` is the line that stays. */
  step<Result>(title: string, work: () => Promise<Result>, done: (result: Result) => string): Promise<Result>;
  /** Something that went wrong without ending the command. */
  warn(text: string): void;
  /** The last words. */
  end(title: string, lines: readonly string[]): void;
}

/** One line an event: for logs, pipes and CI. */
export const plainScreen: Screen = {
  async step(title, work, done) {
    console.log(`${title} ...`);
    const result = await work();
    console.log(done(result));
    return result;
  },
  warn: (text) => console.error(`Warning: ${text}`),
  end: (title, lines) => console.log(["", title, "", ...lines, ""].join("\n")),
};

/** A screen for a terminal. The prompts library is loaded here, and only then. */
export async function createTerminalScreen(): Promise<Screen> {
  const { log, outro } = await import("@clack/prompts");
  return {
    async step(title, work, done) {
      const hide = showProgress(title);
      try {
        const result = await work();
        hide();
        log.step(done(result));
        return result;
      } finally {
        hide();
      }
    },
    warn: (text) => log.warn(text),
    end(title, lines) {
      outro(title);
      // Without a frame, so that the commands can be copied.
      console.log([...lines, ""].join("\n"));
    },
  };
}

/**
 * Shows that something runs, and for how long. The library's spinner is not used: at Ctrl-C it ends the process with
 * code 0, whatever else is still running. Returns what takes it away.
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

/** The first words to a person who is going to be asked. */
export async function greet(version: string): Promise<void> {
  const { intro } = await import("@clack/prompts");
  intro(`create-mcp-server ${version}`);
}

/** Asks where the project goes until it can go there. Throws when the person leaves. */
export async function askDirectory<Place>(find: (directory: string) => Promise<Place>): Promise<Place> {
  const { isCancel, log, text } = await import("@clack/prompts");
  for (;;) {
    const answer = await text({
      message: "What shall it be called? (a new folder)",
      placeholder: "my-mcp-server",
      defaultValue: "my-mcp-server",
    });
    if (isCancel(answer)) throw interrupted();
    try {
      return await find(answer);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      log.warn(error.message);
    }
  }
}

/** What a person is asked before anything is written. */
export interface Question {
  readonly folder: string;
  readonly name: string;
  /** Revisions to choose among, newest first; none when they are settled already. */
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
}

/** Asks for the revision and for consent. Throws when the person leaves. Returns the chosen revisions. */
export async function askPerson({ folder, name, choices, chosen }: Question): Promise<readonly string[]> {
  const { confirm, isCancel, multiselect } = await import("@clack/prompts");
  const revisions =
    choices.length === 0
      ? chosen
      : await multiselect({
          message: "Which protocol revisions should it speak?",
          options: choices.map((id) => ({ value: id, label: id })),
          initialValues: [...chosen],
          required: true,
        });
  if (isCancel(revisions)) throw interrupted();
  const message = `Write ${name} (${revisions.join(", ")}) to ${folder}?`;
  const isWanted = await confirm({ message, active: "Go", inactive: "Cancel" });
  if (isWanted !== true) throw interrupted();
  return revisions;
}
