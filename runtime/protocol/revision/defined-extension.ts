import type { Extension, ExtensionTables, RequestRow, Role } from "../../../generated/support.ts";
import { attempt, isThenable } from "../../internal/maybe-async.ts";
import type { MessageMiddleware } from "../peer/message-middleware.ts";
import { RpcError, SetupError, toError } from "../../jsonrpc/errors.ts";

/** Place where an extension is set up: one server, one client or one gateway. */
export interface ExtensionSetup {
  readonly end: Role | "gateway";
  /** The server, whose lists may still change. */
  readonly server?: object;
}

/** Parts that an extension adds to the end where it is set up. */
export interface InstalledExtension {
  /** Middleware around the messages of the end. It runs inside the middleware of the end itself, and inside the one of required extensions. */
  readonly middleware?: readonly MessageMiddleware[];
  /** Called once when the end is closed. */
  close?(): unknown;
}

/** An extension with handlers, as `defineExtension` returns it. */
export interface DefinedExtension<Tables extends ExtensionTables = ExtensionTables> extends Extension<Tables> {
  /** Identifiers of the extensions that this one needs at the same end. */
  readonly requires: readonly string[];
  /** Settings that each side declares. */
  readonly sides: { readonly [Side in Role]?: Readonly<Record<string, unknown>> };
  /** Handlers by method. */
  readonly handlers: object;
  /** Sets up extensions. An end without such a value does not contain the code. */
  readonly install: typeof installExtensions;
  setup?(place: ExtensionSetup): InstalledExtension | undefined | void;
}

/** True for an extension made by `defineExtension`. */
export function isDefinedExtension(extension: Extension): extension is DefinedExtension {
  return "install" in extension;
}

/**
 * Checks what extensions require of each other, and sets them up: each after the ones it requires. If one fails, the ones set up before it are closed.
 *
 * @throws {SetupError} when a required extension is missing, when extensions require each other, or when one cannot be set up
 */
export function installExtensions(
  extensions: readonly Extension[],
  place: ExtensionSetup,
): { readonly middleware: readonly MessageMiddleware[]; close(): Promise<void> } {
  const installed: InstalledExtension[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(
      installed
        .splice(0)
        .reverse()
        .map(async (extension) => extension.close?.()),
    );
  };
  for (const extension of sortByRequirements(extensions.filter(isDefinedExtension), extensions)) {
    try {
      const added = extension.setup?.(place) ?? {};
      if (isThenable(added)) throw new Error("setup returned a promise; prepare it before");
      installed.push(added);
    } catch (thrown) {
      // The failure of the setup is the one to report, whatever else goes wrong.
      void close().catch(() => {});
      throw new SetupError(`Extension ${extension.id} cannot be set up: ${toError(thrown).message}`, { cause: thrown });
    }
  }
  return { middleware: installed.flatMap(({ middleware = [] }) => middleware), close };
}

/** Sorts extensions: each comes after the ones it requires. Otherwise their order stays. */
function sortByRequirements(
  extensions: readonly DefinedExtension[],
  present: readonly Extension[],
): readonly DefinedExtension[] {
  const sorted = new Set<DefinedExtension>();
  const enter = (extension: DefinedExtension, path: readonly string[]): void => {
    const { id, requires } = extension;
    if (sorted.has(extension)) return;
    if (path.includes(id))
      throw new SetupError(`Extension ${id} requires itself: ${[...path, id].join(" → ")}; remove one of these`);
    for (const required of requires) {
      if (!present.some((other) => other.id === required))
        throw new SetupError(`Extension ${id} requires ${required}; add it to extensions`);
      for (const other of extensions) if (other.id === required) enter(other, [...path, id]);
    }
    sorted.add(extension);
  };
  for (const extension of extensions) enter(extension, []);
  return [...sorted];
}

/** Returns the identifier of the extension that a method belongs to. */
export function extensionOf({ gate }: Pick<RequestRow, "gate">): string | undefined {
  const [member, id] = gate?.path ?? [];
  return member === "extensions" ? id : undefined;
}

/**
 * Wraps a handler: its failures name the extension, also to the peer.
 *
 * @throws {RpcError} when the handler fails
 */
export function namedAfterExtension<Context>(
  row: Pick<RequestRow, "gate">,
  handle: (params: unknown, context: Context) => unknown,
): (params: unknown, context: Context) => unknown {
  const id = extensionOf(row);
  if (id === undefined) return handle;
  return (params, context) =>
    attempt(
      () => handle(params, context),
      (thrown) => {
        const error = RpcError.from(thrown);
        throw error === thrown ? thrown : new RpcError(error.code, `Internal error in ${id}`, { cause: thrown });
      },
    );
}
