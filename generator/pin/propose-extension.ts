import type { Declaration, ExtensionModel, Method, Role } from "../model.ts";
import type { ExtensionOverlay } from "../model/overlay.ts";
import { resolveObject } from "../model/resolve.ts";
import { examineExtension, type ExtensionInput } from "../read/extension.ts";
import { readExtensionSenders } from "../read/methods.ts";
import type { Schema } from "../read/schema.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { Decisions } from "./decisions.ts";

/** Schema to propose an overlay for. */
export interface ProposalInput extends Omit<ExtensionInput, "overlay"> {
  readonly id: string;
  readonly parsed: Schema;
  /** Path of the overlay, for messages only. */
  readonly path: string;
  /** Address of the specification, for each fact. */
  readonly clause: string;
  /** Overlay of the version before. Its valid entries are adopted. */
  readonly base?: ExtensionOverlay;
}

/** A proposed overlay for an extension, and its open points. */
export interface ExtensionProposal {
  readonly overlay: ExtensionOverlay;
  readonly decisions: Decisions;
  /** The extension, as far as no decision is open. */
  readonly model: ExtensionModel;
  /** Entries of the version before for a type or method that is gone. */
  readonly dropped: readonly string[];
}

/**
 * Proposes the overlay of an extension from its declarations: the senders follow from its unions of messages, the settings from the names of types.
 *
 * @throws {SpecError} when the schema contradicts the core, for example by a method of the same name
 */
export function proposeExtensionOverlay(draft: ProposalInput): ExtensionProposal {
  const { id, clause, core, base, parsed } = draft;
  const dropped: string[] = [];
  const lifecycles = base?.lifecycles ?? { clause, kinds: [core.rules.lifecycle] };
  const bare = {
    $schema: "../../extension.schema.json",
    id,
    lifecycles,
    declared: { clause, server: "" },
    methods: {},
  };
  const { methods: found, scope } = examine(bare, draft).model;
  const methods = proposeMethods(found, draft, { senders: readExtensionSenders(parsed.declarations, scope), dropped });
  const declared = proposeDeclared(methods, draft);
  const kinds = base ? lifecycles.kinds : kindsFor(found, draft.core, scope);
  const overlay = adoptEntries({ ...bare, lifecycles: { ...lifecycles, kinds }, declared, methods }, draft, dropped);
  const { model, decisions } = examine(overlay, draft);
  const open = decisions.map(({ text }) => text);
  return { overlay, model, dropped, decisions: { open, confirm: pointsToConfirm(model) } };
}

function examine(value: ExtensionOverlay, draft: ProposalInput): ReturnType<typeof examineExtension> {
  return examineExtension({ ...draft, overlay: { path: draft.path, value } });
}

/** Adopts the facts about methods that are still there, and derives the senders of new ones. */
function proposeMethods(
  methods: readonly Method[],
  { base, clause }: ProposalInput,
  { senders, dropped }: { readonly senders: ReadonlyMap<string, readonly Role[]>; readonly dropped: string[] },
): ExtensionOverlay["methods"] {
  const known = new Set(methods.map(({ name }) => name));
  for (const name of Object.keys(base?.methods ?? {})) if (!known.has(name)) dropped.push(`methods: ${name}`);
  return Object.fromEntries(
    methods.flatMap(({ name, type }) => {
      const facts = base?.methods[name];
      const found = senders.get(type);
      if (facts) return [[name, facts]];
      return found ? [[name, { clause, senders: found }]] : [];
    }),
  );
}

/** Pattern of types of settings, by convention. */
const settingsName = /(?:Settings|Capability|Capabilities)$/;

/** Finds the types of the settings. A client declares the extension if the server sends messages of it. */
function proposeDeclared(
  methods: ExtensionOverlay["methods"],
  { id, clause, base, parsed: { declarations } }: ProposalInput,
): ExtensionOverlay["declared"] {
  const isDeclared = (type: string | undefined): boolean =>
    type === undefined || declarations.some(({ name }) => name === type);
  if (base && isDeclared(base.declared.server) && isDeclared(base.declared.client)) return base.declared;
  const settings = declarations.map(({ name }) => name).filter((name) => settingsName.test(name));
  const common = settings.find((name) => !/Client|Server/.test(name));
  const server = settings.find((name) => name.includes("Server")) ?? common ?? `${typeNameOf(id)}Settings`;
  const serverSends = Object.values(methods).some(({ senders }) => senders?.includes("server"));
  const client = settings.find((name) => name.includes("Client")) ?? (serverSends ? server : undefined);
  return { clause, ...(client !== undefined && { client }), server };
}

/** Returns the name of an extension as part of the name of a type: `Echo` for `com.example/echo`. */
function typeNameOf(id: string): string {
  const words = id.replace(/^.*\//, "").split(/[^A-Za-z\d]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Returns the lifecycle of the core, and both if no request needs the metadata that only one of them has. */
function kindsFor(
  methods: readonly Method[],
  core: ExtensionModel["core"],
  declarations: readonly Declaration[],
): ExtensionOverlay["lifecycles"]["kinds"] {
  const needsMetadata = methods.some(({ kind, params }) => {
    const object = kind === "request" && params ? resolveObject(params.shape, { declarations }) : undefined;
    return object?.properties.some(({ name, optional }) => name === "_meta" && !optional) ?? false;
  });
  return needsMetadata || core.rules.lifecycle === "handshake" ? [core.rules.lifecycle] : ["handshake", "per-request"];
}

/** Adds the entries of the version before that are still valid. */
function adoptEntries(bare: ExtensionOverlay, draft: ProposalInput, dropped: string[]): ExtensionOverlay {
  const { base } = draft;
  if (!base) return bare;
  const { length: open } = examine(bare, draft).decisions;
  const fits = (added: Partial<ExtensionOverlay>): boolean => {
    try {
      return examine({ ...bare, ...added }, draft).decisions.length <= open;
    } catch (error) {
      if (error instanceof SpecError) return false;
      throw error;
    }
  };
  const adopt = <Entry>(
    section: string,
    entries: readonly Entry[] | undefined,
    toOverlay: (kept: readonly Entry[]) => Partial<ExtensionOverlay>,
  ): Partial<ExtensionOverlay> => {
    const kept = (entries ?? []).filter((entry) => fits(toOverlay([entry])));
    for (const entry of (entries ?? []).filter((one) => !kept.includes(one)))
      dropped.push(`${section}: ${entryText(entry)}`);
    return kept.length > 0 ? toOverlay(kept) : {};
  };
  const { safe, mergeMeta } = base;
  return {
    ...bare,
    ...adopt("durations", base.durations, (durations) => ({ durations })),
    ...adopt("safe", safe?.methods, (methods) => (safe ? { safe: { ...safe, methods } } : {})),
    ...adopt("results", base.results, (results) => ({ results })),
    ...adopt("members", base.members, (members) => ({ members })),
    ...adopt("provides", base.provides, (provides) => ({ provides })),
    ...adopt("mergeMeta", mergeMeta?.methods, (methods) => (mergeMeta ? { mergeMeta: { ...mergeMeta, methods } } : {})),
    ...adopt("tags", base.tags, (tags) => ({ tags })),
    ...adopt("integers", base.integers, (integers) => ({ integers })),
    ...adopt("openObjects", base.openObjects, (openObjects) => ({ openObjects })),
    ...adopt("constraints", base.constraints, (constraints) => ({ constraints })),
    ...adopt("tolerances", base.tolerances, (tolerances) => ({ tolerances })),
    ...adopt("headers", base.headers, (headers) => ({ headers })),
    ...adopt("reservedMeta", base.reservedMeta, (reservedMeta) => ({ reservedMeta })),
    ...adopt("unchecked", base.unchecked, (unchecked) => ({ unchecked })),
  };
}

/** Returns an entry without its clause, as text. */
function entryText(entry: unknown): string {
  return typeof entry === "string"
    ? entry
    : JSON.stringify(entry, (key, value: unknown) => (key === "clause" ? undefined : value));
}

function pointsToConfirm({ rules, methods, scope }: ExtensionModel): readonly string[] {
  const { client } = rules.declared;
  const params = { declarations: scope };
  const withoutMeta = methods.filter((method) => {
    const object = method.params && resolveObject(method.params.shape, params);
    return object && !object.index && !object.properties.some(({ name }) => name === "_meta");
  });
  return [
    `lifecycles: ${rules.lifecycles.join(" and ")}`,
    client === undefined
      ? "declared: clients need not declare the extension"
      : `declared: clients must declare the extension, with \`${client}\``,
    ...methods
      .filter(({ senders }) => senders.length > 0)
      .map(({ name, kind, senders }) => `methods["${name}"]: ${kind} of the ${senders.join(" and the ")}`),
    ...withoutMeta.map(({ name }) => `mergeMeta: the params of ${name} are declared without _meta`),
  ];
}
