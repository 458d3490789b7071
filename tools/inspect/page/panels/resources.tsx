import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { parseUriTemplate } from "../../../../runtime/server/resources/uri-template/uri-template.ts";
import { AppFrame } from "./app-frame.tsx";
import { CompletionInput } from "../forms/completion-input.tsx";
import { ResourceContent } from "../values/content.tsx";
import { ItemList } from "./item-list.tsx";
import { JsonView } from "../values/json-view.tsx";
import { without } from "./prompts.tsx";
import { RequestStatus, useRequests, type ShownOutcome } from "./requests.tsx";
import type { Store } from "../store.ts";
import { ItemHead } from "./tools.tsx";
import { isObject, memberOf, objectsOf, textOf, visibleText, type JsonObject } from "../values/values.ts";

/** Resources of the server and templates of further ones. */
export function ResourcesPanel({ store }: { readonly store: Store }): ComponentChild {
  return (
    <ItemList store={store} kinds={["resources", "resourceTemplates"]} label="Resources">
      {({ kind }, item) =>
        kind === "resources" ? (
          <ResourceDetails store={store} resource={item} />
        ) : (
          <TemplateDetails store={store} template={item} />
        )
      }
    </ItemList>
  );
}

function ResourceDetails({
  store,
  resource,
}: {
  readonly store: Store;
  readonly resource: JsonObject;
}): ComponentChild {
  const uri = textOf(resource.uri);
  return (
    <article>
      <ItemHead item={resource} name={textOf(resource.name) || uri} />
      <ReadForm store={store} uri={uri} />
      <details class="definition">
        <summary>Definition</summary>
        <JsonView value={resource} label="Definition of the resource" />
      </details>
    </article>
  );
}

function TemplateDetails({
  store,
  template,
}: {
  readonly store: Store;
  readonly template: JsonObject;
}): ComponentChild {
  const text = textOf(template.uriTemplate);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const expanded = expand(text, values.value);
  return (
    <article>
      <ItemHead item={template} name={textOf(template.name) || text} />
      {"problem" in expanded ? (
        <p class="issue">{visibleText(expanded.problem)}</p>
      ) : (
        <>
          {expanded.variables.map((name) => (
            <CompletionInput
              key={name}
              store={store}
              reference={{ type: "ref/resource", uri: text }}
              name={name}
              value={textOf(memberOf(values.value, name))}
              others={without(values.value, name)}
              onChange={(value) => (values.value = { ...values.value, [name]: value })}
            />
          ))}
          <ReadForm store={store} uri={expanded.uri} />
        </>
      )}
      <details class="definition">
        <summary>Definition</summary>
        <JsonView value={template} label="Definition of the template" />
      </details>
    </article>
  );
}

function expand(
  text: string,
  values: Readonly<Record<string, string>>,
): { readonly uri: string; readonly variables: readonly string[] } | { readonly problem: string } {
  try {
    const template = parseUriTemplate(text);
    const given = Object.fromEntries(
      template.variables.map((name) => [name, textOf(memberOf(values, name)) || undefined]),
    );
    return { uri: template.expand(given), variables: template.variables };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function ReadForm({ store, uri }: { readonly store: Store; readonly uri: string }): ComponentChild {
  const requests = useRequests(store);
  const subscription = useRequests(store);
  return (
    <>
      <p class="block-head">
        <code>{visibleText(uri)}</code>
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => requests.send("resources/read", { uri })}>
          Read{store.other.value === "" ? "" : " at both"}
        </button>
        {canSubscribe(store) && (
          <button type="button" class="quiet" onClick={() => subscription.send("resources/subscribe", { uri })}>
            Subscribe
          </button>
        )}
      </div>
      <RequestStatus requests={subscription}>
        {() => <p class="ok">Subscribed. Changes appear on the timeline.</p>}
      </RequestStatus>
      <RequestStatus requests={requests}>{(shown) => <Contents key={uri} store={store} shown={shown} />}</RequestStatus>
    </>
  );
}

function canSubscribe({ state, protocol }: Store): boolean {
  const session = state.value?.sessions[protocol.value];
  return session?.kind === "open" && memberOf(session.capabilities, "resources", "subscribe") === true;
}

interface ContentsProps {
  readonly store: Store;
  readonly shown: ShownOutcome & { readonly result: unknown };
}

function Contents({ store, shown: { result, protocol } }: ContentsProps): ComponentChild {
  const contents = objectsOf(memberOf(result, "contents"));
  const view = contents.find(isView);
  return (
    <>
      {view && <AppFrame store={store} protocol={protocol} uri={textOf(view.uri)} content={view} />}
      {contents.length === 0 && <p class="muted">No contents.</p>}
      {contents.map((content, at) => (
        <ResourceContent key={at} content={content} />
      ))}
      {isObject(result) && (
        <details class="definition">
          <summary>Result</summary>
          <JsonView value={result} label="Result" />
        </details>
      )}
    </>
  );
}

/** True for documents shown in a frame by hosts. */
function isView({ uri, mimeType, text }: JsonObject): boolean {
  return textOf(uri).startsWith("ui://") && /^text\/html\b/i.test(textOf(mimeType)) && typeof text === "string";
}
