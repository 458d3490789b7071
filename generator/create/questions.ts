import { interrupted } from "../user-error.ts";
import {
  extras,
  isProtectable,
  schemaLibraries,
  services,
  type Selection,
  type SelectionText,
} from "./project-choices.ts";
import { offerings, protections } from "./layer/choices.ts";

/** Asks for everything that the command line did not say; `asked` has the defaults. Throws when the person leaves. */
export async function askSelection(
  name: string,
  { given, asked }: { readonly given: SelectionText; readonly asked: Selection },
): Promise<Selection> {
  const { confirm, intro, multiselect, select } = await import("@clack/prompts");
  intro(`create-mcp-server: ${name}`);
  const optionsOf = <Word extends string>(words: readonly Word[]): { value: Word; label: string }[] =>
    words.map((value) => ({ value, label: value }));
  const askMany = async <Word extends string>(
    message: string,
    words: readonly Word[],
    initial: readonly Word[],
  ): Promise<Word[]> =>
    settle(
      await multiselect<string>({ message, options: optionsOf(words), initialValues: [...initial], required: false }),
    ).flatMap((word) => words.filter((known) => known === word));
  const askOne = async <Word extends string>(message: string, words: readonly Word[], initial: Word): Promise<Word> => {
    const answer = settle(await select<string>({ message, options: optionsOf(words), initialValue: initial }));
    return words.find((word) => word === answer) ?? initial;
  };
  const serve =
    given.serve === undefined ? await askMany("What should it offer?", offerings, asked.serve) : asked.serve;
  // Whoever wants callers to be asked who they are is offered nothing where they cannot be.
  const ways = asked.auth === "none" ? services : services.filter(isProtectable);
  const transport =
    given.transport === undefined ? await askOne("How is it reached?", ways, asked.transport) : asked.transport;
  const asksWho = given.auth === undefined && isProtectable(transport);
  const auth = asksWho ? await askOne("Who may call it over HTTP?", protections, asked.auth) : asked.auth;
  const schema =
    given.schema === undefined ? await askOne("How are tools described?", schemaLibraries, asked.schema) : asked.schema;
  const client =
    given.client === undefined
      ? settle(await confirm({ message: "Is it a client, too?", initialValue: asked.client }))
      : asked.client;
  const files = given.extras === undefined ? await askMany("Which further files?", extras, asked.extras) : asked.extras;
  return {
    serve: offerings.filter((one) => one === "tools" || serve.includes(one)),
    transport,
    auth,
    schema,
    client,
    extras: files,
    runtime: asked.runtime,
  };
}

/** What leaves a question without an answer is a symbol. */
function settle<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isGiven(answer)) return answer;
  throw interrupted();
}

function isGiven<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return typeof answer !== "symbol";
}
