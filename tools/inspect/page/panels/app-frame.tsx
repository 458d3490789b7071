import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sendCommand } from "../commands.ts";
import type { Store } from "../store.ts";
import { isObject, memberOf, objectsOf, textOf, visibleText, type JsonObject } from "../values/values.ts";

interface AppFrameProps {
  readonly store: Store;
  readonly protocol: string;
  /** URI of the view. */
  readonly uri: string;
  /** Its content, if it was read already. */
  readonly content?: JsonObject;
  /** Arguments and result of the tool shown in the view. */
  readonly input?: unknown;
  readonly result?: unknown;
}

/**
 * View of a server in a sandboxed frame. Its document has an opaque origin and may load nothing: it reaches neither this page nor the network. It
 * receives the arguments and the result of its tool by messages. Requests of the view to the server are rejected: only the user sends requests here.
 */
export function AppFrame(props: AppFrameProps): ComponentChild {
  const { store, protocol, uri, content } = props;
  const path = useSignal("");
  const problem = useSignal("");
  const height = useSignal(240);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const listen = (event: MessageEvent<unknown>): void => {
      const target = frame.current?.contentWindow;
      if (!target || event.source !== target) return;
      const send = (message: object): void => target.postMessage({ jsonrpc: "2.0", ...message }, "*");
      respond(event.data, { ...props, send, resize: (next) => (height.value = next) });
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [props.result]);
  const show = async (): Promise<void> => {
    problem.value = "";
    try {
      const html = content ? textOf(content.text) : await readHtml(store, { protocol, uri });
      path.value = textOf(memberOf(await sendCommand({ kind: "view", html }), "path"));
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <section class="view" aria-label="View">
      <div class="actions">
        <button type="button" class="quiet" onClick={() => void show()}>
          {path.value === "" ? "Show the view" : "Show the view again"}
        </button>
        <code>{visibleText(uri)}</code>
      </div>
      {problem.value !== "" && (
        <p class="issue" role="alert">
          {visibleText(problem.value)}
        </p>
      )}
      {path.value !== "" && (
        <iframe
          key={path.value}
          ref={frame}
          src={path.value}
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          title={`View ${visibleText(uri)}`}
          height={height.value}
        />
      )}
    </section>
  );
}

async function readHtml(
  store: Store,
  { protocol, uri }: { readonly protocol: string; readonly uri: string },
): Promise<string> {
  const outcome = await store.call(protocol, "resources/read", { uri }).outcome;
  if (outcome.kind === "error") throw new Error(outcome.error.message);
  const html = objectsOf(memberOf(outcome.result, "contents")).find(({ text }) => typeof text === "string");
  if (!html) throw new Error("The resource has no text.");
  return textOf(html.text);
}

interface Bridge extends AppFrameProps {
  send(message: object): void;
  resize(height: number): void;
}

/** Responds to messages of the view, in the protocol of the extension. */
function respond(message: unknown, { input, result, send, resize }: Bridge): void {
  if (!isObject(message)) return;
  const { id, method, params } = message;
  switch (method) {
    case "ui/initialize":
      return send({
        id,
        result: {
          protocolVersion: memberOf(params, "protocolVersion"),
          hostInfo: { name: "create-mcp-server-inspect", version: "1" },
          hostCapabilities: {},
          hostContext: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" },
        },
      });
    case "ui/notifications/initialized":
      if (result === undefined) return;
      send({ method: "ui/notifications/tool-input", params: { arguments: isObject(input) ? input : {} } });
      return send({ method: "ui/notifications/tool-result", params: result });
    case "ui/notifications/size-changed": {
      const height = Number(memberOf(params, "height"));
      return height > 0 ? resize(Math.min(Math.max(height, 60), 1_200)) : undefined;
    }
    default:
      if (id === undefined) return;
      return send({ id, error: { code: -32_601, message: "The inspector does not forward requests of views" } });
  }
}
