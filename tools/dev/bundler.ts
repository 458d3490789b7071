/*
 * The part of the interface of esbuild that the development server uses. Declared here, so that no type of the runtime depends on esbuild.
 */

/** Creates a context in which the same files are bundled repeatedly: the function `context` of esbuild. */
// The type of a method: esbuild names the types of its options, of which this interface knows two.
export type Bundler = { context(options: BundlerOptions): Promise<BundlerContext> }["context"];

/** Options of esbuild read by the development server; it passes the others on. */
export interface BundlerOptions {
  readonly entryPoints?: unknown;
  readonly plugins?: readonly unknown[];
}

/** Context of esbuild. */
export interface BundlerContext {
  watch(): Promise<unknown>;
  rebuild(): Promise<unknown>;
  dispose(): Promise<unknown>;
}

/** Plugin of esbuild. */
export interface BundlerPlugin {
  readonly name: string;
  setup(build: BundlerBuild): void;
}

/** Build of esbuild, as its plugins see it. */
export interface BundlerBuild {
  onResolve(rule: Rule, resolve: (found: Resolving) => Awaited<Resolved> | Promise<Resolved>): void;
  onLoad(rule: Rule, load: (found: { readonly path: string }) => Loaded | Promise<Loaded>): void;
  onEnd(end: (result: BuildResult) => Promise<void>): void;
  resolve(path: string, options: object): Promise<FoundPath>;
}

/** Paths for the calls of a plugin's callback. */
interface Rule {
  readonly filter: RegExp;
  readonly namespace?: string;
}

/** Import to resolve. */
export interface Resolving {
  readonly path: string;
  readonly importer: string;
  readonly namespace: string;
  readonly resolveDir: string;
  readonly kind: string;
  readonly pluginData?: unknown;
}

/** Module of an import; `undefined`: as esbuild finds it. */
type Resolved = { readonly path: string; readonly external?: boolean; readonly namespace?: string } | undefined;

/** Text of a module; `undefined`: the text of the file. */
type Loaded = { readonly contents: string; readonly loader: "js" | "ts" } | undefined;

/** Path found by esbuild for an import. */
interface FoundPath {
  readonly path: string;
  readonly external: boolean;
  readonly namespace: string;
  readonly errors: readonly unknown[];
}

/** Error or warning of a build. */
export interface BuildMessage {
  readonly text: string;
  readonly pluginName?: string;
  readonly location: {
    readonly file: string;
    readonly line: number;
    /** Number of bytes before the place in its line. */
    readonly column: number;
    readonly lineText: string;
  } | null;
}

/** Problems and files of a build. */
export interface BuildResult {
  readonly errors: readonly BuildMessage[];
  readonly warnings: readonly BuildMessage[];
  readonly outputFiles?: readonly OutputFile[];
  readonly metafile?: Metafile;
}

/** File of the output, as esbuild would write it. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
  readonly contents: Uint8Array;
}

/** Files read by a build, and the files it would write, relative to the working folder. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly entryPoint?: string }>>;
}
