import type { Extension } from "../../generated/support.ts";
import { isDefinedExtension, type DefinedExtension } from "../../runtime/protocol/revision/defined-extension.ts";
import type { Middleware } from "../../runtime/server/middleware/middleware.ts";

/** Extensions of one version of a definition. They are closed when the version is no longer used and its calls have ended. */
export class VersionExtensions {
  readonly extensions: readonly Extension[];
  readonly #onError: (thrown: unknown) => void;
  readonly #closings: (() => Promise<unknown>)[] = [];
  #calls = 0;
  #isUsed = true;

  constructor(extensions: readonly Extension[], onError: (thrown: unknown) => void) {
    this.extensions = extensions.map((extension) =>
      isDefinedExtension(extension) ? this.#withClosing(extension) : extension,
    );
    this.#onError = onError;
  }

  /** Middleware that counts the calls of this version. */
  readonly countCalls: Middleware = async (_request, next) => {
    this.#calls += 1;
    try {
      return await next();
    } finally {
      this.#calls -= 1;
      this.#closeIfOver();
    }
  };

  /** Ends the use of this version: another one has replaced it, or it was rejected. */
  release(): void {
    this.#isUsed = false;
    this.#closeIfOver();
  }

  /** Returns the extension with a way to close what its setup has opened before the server is closed. */
  #withClosing(extension: DefinedExtension): DefinedExtension {
    return {
      ...extension,
      setup: (place) => {
        const installed = extension.setup?.(place);
        if (!installed?.close) return installed;
        let closing: Promise<unknown> | undefined;
        const close = (): Promise<unknown> => (closing ??= new Promise((resolve) => resolve(installed.close?.())));
        this.#closings.push(close);
        return { ...installed, close };
      },
    };
  }

  #closeIfOver(): void {
    if (this.#isUsed || this.#calls > 0) return;
    for (const close of this.#closings.splice(0).reverse()) close().catch(this.#onError);
  }
}
