import type { Extension, Revision } from "../../generated/support.ts";
import { connect } from "../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { toClientCapabilities } from "../../runtime/client/capabilities.ts";
import { createUntypedClient, type UntypedClient } from "../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../runtime/client/session/default-session.ts";
import { extension as ui } from "../../generated/extensions/ui/methods.ts";
import type { Gateway } from "../../runtime/gateway/index.ts";
import { toServerCapabilitiesOf } from "../../runtime/gateway/convert-messages.ts";
import { passedLimits } from "../../runtime/gateway/upstream/upstream-target.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { explainCause, UserError } from "../../generator/internal/user-error.ts";
import type { InputRequests } from "./input-requests.ts";
import type { SessionState } from "./page-messages.ts";
import type { ProgramClient } from "./shared-program.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** Options of the page's sessions. */
export interface SessionsOptions {
  readonly gateway: Gateway;
  readonly revisions: readonly Revision[];
  readonly extensions: readonly Extension[];
  readonly input: InputRequests;
  /** Called when the state of a session changes. */
  readonly onChange: () => void;
  readonly onListChanged: (protocol: string, list: string) => void;
}

/** Sessions of the page's client with the gateway: at most one at each revision. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #states = new Map<string, SessionState>();
  #roots: readonly string[] = [];
  /** Least severe selected levels of log messages, by revision. */
  readonly #logLevels = new Map<string, string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** States by revision. A revision has none if it was never selected. */
  get states(): Readonly<Record<string, SessionState>> {
    return Object.fromEntries(this.#states);
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  /**
   * Returns the session at a revision, which is opened when it is first needed, and again after it has ended.
   *
   * @throws {UserError} when the revision is unknown
   */
  async open(protocol: string): Promise<DefaultClientSession> {
    const known = this.#sessions.get(protocol);
    if (known) return known.session;
    const revision = this.#options.revisions.find(({ id }) => id === protocol);
    if (!revision) throw new UserError(`The revision ${protocol} is unknown; select one of the list.`);
    const client = this.#createClient(revision);
    const loss: { reason?: Error | undefined } = {};
    const opened: OpenSession = { client, session: client.connect(this.#createFactory(loss)) };
    this.#sessions.set(protocol, opened);
    this.#setState(protocol, { kind: "opening" });
    try {
      const session = await opened.session;
      this.#follow(protocol, { opened, session, loss });
      return session;
    } catch (error) {
      this.#end(protocol, opened, explainCause(error));
      throw error;
    }
  }

  /** Keeps the least severe level of log messages for later sessions at a revision. */
  keepLogLevel(protocol: string, level: string): void {
    this.#logLevels.set(protocol, level);
  }

  /** Ends the session at a revision. */
  async close(protocol: string): Promise<void> {
    await this.#sessions.get(protocol)?.client.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ client }) => client.close()));
  }

  /**
   * Replaces the roots of the client, and notifies the server.
   *
   * @throws {UserError} when the URI of a root does not begin with `file://`
   */
  setRoots(uris: readonly string[]): void {
    const wrong = uris.find((uri) => !/^file:\/\//i.test(uri) || !isUrl(uri));
    if (wrong !== undefined)
      throw new UserError(`The root ${wrong} is not a file:// URI; use for example file:///home/me.`);
    for (const { client } of this.#sessions.values()) client.roots.set(toRoots(uris));
    this.#roots = uris;
    this.#options.onChange();
  }

  #follow(
    protocol: string,
    {
      opened,
      session,
      loss,
    }: { opened: OpenSession; session: DefaultClientSession; loss: { reason?: Error | undefined } },
  ): void {
    const { serverInfo, serverCapabilities, instructions } = session;
    this.#setState(protocol, {
      kind: "open",
      serverInfo: { ...serverInfo },
      capabilities: serverCapabilities,
      ...(instructions !== undefined && { instructions }),
    });
    void session.closed.then((reason) => {
      const cause = loss.reason ?? reason;
      this.#end(protocol, opened, cause ? explainCause(cause) : "The session was closed.");
    });
  }

  #end(protocol: string, opened: OpenSession, reason: string): void {
    if (this.#sessions.get(protocol) !== opened) return;
    this.#sessions.delete(protocol);
    this.#setState(protocol, { kind: "closed", reason });
  }

  #setState(protocol: string, state: SessionState): void {
    this.#states.set(protocol, state);
    this.#options.onChange();
  }

  /** Creates a function that connects to the gateway in this process, and learns why the server has ended a session. */
  #createFactory(loss: { reason?: Error | undefined }): ConnectionFactory {
    const { gateway } = this.#options;
    return (options) => {
      const [clientEnd, gatewayEnd] = createInMemoryTransports(passedLimits);
      const connection = gateway.accept(gatewayEnd);
      void connection.closed.then(() => (loss.reason = gateway.lossOf(connection)));
      return connect(clientEnd, options);
    };
  }

  #createClient(revision: Revision): UntypedClient {
    const { input, extensions, onListChanged } = this.#options;
    return createUntypedClient({
      info,
      revisions: [revision],
      extensions: toShown(extensions),
      roots: toRoots(this.#roots),
      sampling: {
        ...abilities.sampling,
        createMessage: (params, context) => input.wait("sampling", params, context),
      },
      elicitation: {
        form: (params, context) => input.wait("form", params, context),
        url: (params, context) => input.wait("url", params, context),
      },
      limits: passedLimits,
      // A person decides how long to wait: every call can be cancelled on the page.
      timeouts: { request: Infinity, work: Infinity, wait: Infinity, total: Infinity, handler: Infinity },
      logLevel: this.#logLevels.get(revision.id) ?? firstLogLevel,
      cacheLists: false,
      cache: { reads: false },
      onListChanged: (list) => onListChanged(revision.id, list),
    });
  }
}

/** Returns the client of the page as a server of this revision receives it. */
export function pageClient(revision: Revision, extensions: readonly Extension[]): ProgramClient {
  const never = (): Promise<never> => Promise.reject(new Error("The page has no session"));
  const capabilities = toClientCapabilities(
    {
      info,
      revisions: [revision],
      roots: [],
      sampling: { ...abilities.sampling, createMessage: never },
      elicitation: { form: never, url: never },
    },
    revision,
  );
  const shown = toShown(extensions).filter(({ lifecycles }) => lifecycles.includes(revision.lifecycle));
  const client = {
    info,
    capabilities: {
      ...capabilities,
      extensions: Object.fromEntries(shown.map(({ id, settings }) => [id, settings ?? {}])),
    },
  };
  return { info, capabilities: toServerCapabilitiesOf(client, revision) };
}

const info = { name: "create-mcp-server-inspect", version: packageVersion() };

/** Least severe level of log messages at first: all are shown. */
const firstLogLevel = "debug";

/** What the page can do beyond responding to input requests. */
const abilities = { sampling: { tools: true, context: true } } as const;

/** Returns the extensions as the page's client declares them. It shows views that are documents. */
function toShown(extensions: readonly Extension[]): readonly Extension[] {
  const settings = { mimeTypes: ["text/html;profile=mcp-app"] };
  return extensions.map((extension) => (extension.id === ui.id ? { ...extension, settings } : extension));
}

interface OpenSession {
  readonly client: UntypedClient;
  readonly session: Promise<DefaultClientSession>;
}

function toRoots(uris: readonly string[]): readonly { readonly uri: string }[] {
  return uris.map((uri) => ({ uri }));
}
