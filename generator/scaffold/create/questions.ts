import { interrupted } from "../../internal/user-error.ts";
import { extraHints, featureHints, protectionHints, schemaHints, serviceHints, type Hints } from "./choice-hints.ts";
import {
  extras,
  isExtraOf,
  isProtectable,
  readSelection,
  schemaLibraries,
  services,
  type Selection,
  type SelectionText,
} from "./project-choices.ts";
import { features, protections } from "../layer/choices.ts";

/** Words of a choice, and the explanation of each. */
interface Choice<Word extends string> {
  readonly words: readonly Word[];
  readonly hints: Hints<Word>;
}

/** Asks for every choice that the command line did not set; `asked` has the defaults. @throws {UserError} when the user cancels. */
export async function askSelection({
  given,
  asked,
}: {
  readonly given: SelectionText;
  readonly asked: Selection;
}): Promise<Selection> {
  const { confirm, multiselect, select } = await import("@clack/prompts");
  const optionsOf = <Word extends string>({ words, hints }: Choice<Word>): { value: Word; label: string }[] =>
    words.map((value) => ({ value, label: value, hint: hints[value] }));
  const askMany = async <Word extends string>(
    message: string,
    choice: Choice<Word>,
    initial: readonly Word[],
  ): Promise<Word[]> =>
    settle(
      await multiselect<string>({ message, options: optionsOf(choice), initialValues: [...initial], required: false }),
    ).flatMap((word) => choice.words.filter((known) => known === word));
  const askOne = async <Word extends string>(message: string, choice: Choice<Word>, initial: Word): Promise<Word> => {
    const answer = settle(await select<string>({ message, options: optionsOf(choice), initialValue: initial }));
    return choice.words.find((word) => word === answer) ?? initial;
  };
  // Tools are always included, so they are not in the list, where they could be deselected.
  const furtherFeatures = { words: features.filter((one) => one !== "tools"), hints: featureHints };
  const others = asked.features.filter((one) => one !== "tools");
  const chosen =
    given.features === undefined
      ? await askMany("Which features besides tools?", furtherFeatures, others)
      : asked.features;
  // With authentication, only transports that support it are listed.
  const ways = { words: asked.auth === "none" ? services : services.filter(isProtectable), hints: serviceHints };
  const transport =
    given.transport === undefined ? await askOne("How is it reached?", ways, asked.transport) : asked.transport;
  const asksWho = given.auth === undefined && isProtectable(transport) && !asked.further.includes("tcp");
  const callers = { words: protections, hints: protectionHints };
  const auth = asksWho ? await askOne("Who may call it over HTTP?", callers, asked.auth) : asked.auth;
  const libraries = { words: schemaLibraries, hints: schemaHints };
  const schema =
    given.schema === undefined ? await askOne("How are tools described?", libraries, asked.schema) : asked.schema;
  const client =
    given.client === undefined
      ? settle(await confirm({ message: "Is it a client, too?", initialValue: asked.client }))
      : asked.client;
  const further = { words: extras.filter((extra) => isExtraOf(extra, transport)), hints: extraHints };
  const files =
    given.extras === undefined
      ? await askMany("Which further files?", further, asked.extras)
      : readSelection({ transport, extras: given.extras }).extras;
  return {
    features: features.filter((one) => one === "tools" || chosen.includes(one)),
    transport,
    further: asked.further,
    auth,
    schema,
    client,
    extras: files,
    runtime: asked.runtime,
  };
}

/** Returns the user's input. The prompts library returns a symbol for a cancelled prompt. @throws {UserError} when the user cancels. */
function settle<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isGiven(answer)) return answer;
  throw interrupted();
}

function isGiven<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return typeof answer !== "symbol";
}
