import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { CompletionInput } from "../forms/completion-input.tsx";
import { ContentBlocks } from "../values/content.tsx";
import { ItemList } from "./item-list.tsx";
import { JsonView } from "../values/json-view.tsx";
import { RequestStatus, useRequests } from "./requests.tsx";
import type { Store } from "../store.ts";
import { ItemHead } from "./tools.tsx";
import { memberOf, objectsOf, textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Prompts of the server, with their arguments. */
export function PromptsPanel({ store }: { readonly store: Store }): ComponentChild {
  return (
    <ItemList store={store} kinds={["prompts"]} label="Prompts">
      {(_item, prompt) => <PromptDetails store={store} prompt={prompt} />}
    </ItemList>
  );
}

function PromptDetails({ store, prompt }: { readonly store: Store; readonly prompt: JsonObject }): ComponentChild {
  const name = textOf(prompt.name);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const requests = useRequests(store);
  const get = (event: Event): void => {
    event.preventDefault();
    const given = Object.entries(values.value).filter(([, value]) => value !== "");
    requests.send("prompts/get", { name, ...(given.length > 0 && { arguments: Object.fromEntries(given) }) });
  };
  return (
    <article>
      <ItemHead item={prompt} name={name} />
      <form onSubmit={get}>
        {objectsOf(prompt.arguments).map((argument) => {
          const key = textOf(argument.name);
          return (
            <CompletionInput
              key={key}
              store={store}
              reference={{ type: "ref/prompt", name }}
              name={key}
              description={textOf(argument.description)}
              isRequired={argument.required === true}
              value={textOf(memberOf(values.value, key))}
              others={without(values.value, key)}
              onChange={(value) => (values.value = { ...values.value, [key]: value })}
            />
          );
        })}
        <div class="actions">
          <button type="submit" class="primary">
            Get prompt{store.other.value === "" ? "" : " at both"}
          </button>
        </div>
      </form>
      <RequestStatus requests={requests}>{({ result }) => <PromptMessages result={result} />}</RequestStatus>
      <details class="definition">
        <summary>Definition</summary>
        <JsonView value={prompt} label="Definition of the prompt" />
      </details>
    </article>
  );
}

/** Returns the values of the other arguments already filled in. */
export function without(values: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => key !== name && value !== ""));
}

function PromptMessages({ result }: { readonly result: unknown }): ComponentChild {
  return (
    <>
      {objectsOf(memberOf(result, "messages")).map((message, at) => (
        <div key={at} class="message">
          <h4>{visibleText(textOf(message.role))}</h4>
          <ContentBlocks content={message.content} />
        </div>
      ))}
    </>
  );
}
