import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useId } from "preact/hooks";
import type { InputRequest } from "../page-messages.ts";
import { sendCommand } from "./commands.ts";
import { ContentBlocks, SafeLink } from "./values/content.tsx";
import { JsonView } from "./values/json-view.tsx";
import { ValueEditor } from "./forms/schema-form.tsx";
import { initialValue } from "./forms/schema.ts";
import type { Store } from "./store.ts";
import { objectsOf, textOf, visibleText } from "./values/values.ts";

/** Requests of the server, waiting for a response by hand. */
export function InputRequestList({ store }: { readonly store: Store }): ComponentChild {
  const requests = store.inputRequests.value;
  return (
    <div class="input-requests" aria-live="polite">
      {requests.map((request) => (
        <InputRequestForm key={request.id} request={request} />
      ))}
    </div>
  );
}

const titles = {
  form: "The server requests input",
  url: "The server asks you to visit a page",
  sampling: "The server requests a message of a model",
} as const;

function InputRequestForm({ request }: { readonly request: InputRequest }): ComponentChild {
  const problem = useSignal("");
  const respond = (response: object): void => {
    problem.value = "";
    sendCommand({ kind: "input", id: request.id, response }).catch((error: Error) => (problem.value = error.message));
  };
  const reject = (): void => {
    sendCommand({ kind: "input", id: request.id, rejection: "The user has rejected the request" }).catch(
      (error: Error) => (problem.value = error.message),
    );
  };
  const shared = { request, respond, reject };
  return (
    <section class="input-request" aria-label={titles[request.kind]}>
      <h2>
        {titles[request.kind]} <span class="tag">{request.protocol}</span>
      </h2>
      {request.kind === "form" && <ElicitationForm {...shared} />}
      {request.kind === "url" && <UrlForm {...shared} />}
      {request.kind === "sampling" && <SamplingForm {...shared} />}
      {problem.value !== "" && (
        <p class="issue" role="alert">
          {visibleText(problem.value)}
        </p>
      )}
    </section>
  );
}

interface FormProps {
  readonly request: InputRequest;
  respond(response: object): void;
  reject(): void;
}

function ElicitationForm({ request: { params }, respond, reject }: FormProps): ComponentChild {
  const content = useSignal<unknown>(initialValue(params.requestedSchema, params.requestedSchema));
  const accept = (event: Event): void => {
    event.preventDefault();
    respond({ action: "accept", content: content.value ?? {} });
  };
  return (
    <form onSubmit={accept}>
      <p class="about">{visibleText(textOf(params.message))}</p>
      <ValueEditor
        label="Content"
        schema={params.requestedSchema}
        value={content.value}
        onChange={(next) => (content.value = next)}
      />
      <ActionButtons respond={respond} reject={reject} />
    </form>
  );
}

function UrlForm({ request: { params }, respond, reject }: FormProps): ComponentChild {
  const url = textOf(params.url);
  const accept = (event: Event): void => {
    event.preventDefault();
    respond({ action: "accept" });
  };
  return (
    <form onSubmit={accept}>
      <p class="about">{visibleText(textOf(params.message))}</p>
      <p>
        <SafeLink uri={url}>{url}</SafeLink>
      </p>
      <ActionButtons respond={respond} reject={reject} />
    </form>
  );
}

function ActionButtons({ respond, reject }: Omit<FormProps, "request">): ComponentChild {
  return (
    <div class="actions">
      <button type="submit" class="primary">
        Accept
      </button>
      <button type="button" class="quiet" onClick={() => respond({ action: "decline" })}>
        Decline
      </button>
      <button type="button" class="quiet" onClick={() => respond({ action: "cancel" })}>
        Cancel
      </button>
      <button type="button" class="quiet" onClick={reject}>
        Return an error
      </button>
    </div>
  );
}

function SamplingForm({ request: { params }, respond, reject }: FormProps): ComponentChild {
  const id = useId();
  const text = useSignal("");
  const model = useSignal("by-hand");
  const send = (event: Event): void => {
    event.preventDefault();
    const content = { type: "text", text: text.value };
    respond({ role: "assistant", model: model.value, stopReason: "endTurn", content });
  };
  return (
    <form onSubmit={send}>
      {textOf(params.systemPrompt) !== "" && <p class="about">{visibleText(textOf(params.systemPrompt))}</p>}
      {objectsOf(params.messages).map((message, at) => (
        <div key={at} class="message">
          <h3>{visibleText(textOf(message.role))}</h3>
          <ContentBlocks content={message.content} />
        </div>
      ))}
      <details class="definition">
        <summary>Params</summary>
        <JsonView value={params} label="Params of the request" />
      </details>
      <div class="field">
        <label for={`${id}-text`}>Message of the assistant</label>
        <textarea
          id={`${id}-text`}
          rows={4}
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for={`${id}-model`}>Model</label>
        <input
          id={`${id}-model`}
          value={model.value}
          onInput={({ currentTarget }) => (model.value = currentTarget.value)}
        />
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          Send
        </button>
        <button type="button" class="quiet" onClick={reject}>
          Return an error
        </button>
      </div>
    </form>
  );
}
