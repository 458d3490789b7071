import { extensionSupport } from "../extensions/extension-support.ts";
import { extension } from "../../../generated/extensions/skills/methods.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import { toContent } from "../../skills/file.ts";
import { toSkillEntry, type Skill } from "../../skills/skill.ts";
import { createSkillTree, type SkillTree } from "../../skills/tree.ts";
import { checkUnique } from "../check-definition.ts";
import type { ServerSkills } from "../definition.ts";
import { reject } from "../errors.ts";
import type { Feature } from "../feature.ts";
import type { RevisionServer, ServerParts } from "../revision-server.ts";
import { toListHandler } from "../list/list-handler.ts";
import { createListing } from "../list/list-page.ts";
import type { ServedHandlers } from "../methods/served-handlers.ts";
import type { ResourceLists } from "../resources/catalogue.ts";
import type { AnyResource, AnyServerDefinition, Visible } from "../any-definition.ts";

/** Skills: folders of text and files for the host's model. The resources feature serves their files. */
export const skills: Feature = {
  name: "skills",
  follows: ["resources"],
  extensionSupport,
  extension: ({ skills: served = [], directoryRead }: AnyServerDefinition & ServerSkills) =>
    served.length === 0 ? undefined : { ...extension, ...(directoryRead && { settings: { directoryRead } }) },
  check({ skills: served = [] }: ServerSkills) {
    const paths = served.map(({ path }) => path);
    checkUnique("skills", "path", paths);
  },
  create(
    parts: ServerParts & ResourceLists,
    { skills: served = [], directoryRead = false }: AnyServerDefinition & ServerSkills,
  ) {
    if (served.length === 0) return {};
    const tree = createSkillTree(served);
    for (const resource of toResources(tree, parts)) parts.resources.add(resource);
    return {
      implement: (server) => ({
        handlers: {
          ...implementSkills(served, server),
          ...(directoryRead && { readResourceDirectory: implementDirectories(tree, server) }),
        },
      }),
    };
  },
};

/** Converts the files of skills to resources. Lists contain only `SKILL.md`: the entry of the skill names the other files. */
function toResources({ files }: SkillTree, { settings }: ServerParts): readonly AnyResource[] {
  const { skills: cacheHint } = settings.cacheHints;
  return [...files].map(([uri, { file, manifestOf }]) => {
    const { name, description } = manifestOf?.frontmatter ?? { name: file.path };
    const { mimeType, bytes } = file;
    const contents = [{ uri, mimeType, ...toContent(bytes) }];
    return {
      uri,
      name,
      ...(description !== undefined && { description }),
      mimeType,
      size: bytes.length,
      listed: manifestOf !== undefined,
      ...(cacheHint && { cacheHint }),
      read: () => ({ contents }),
    };
  });
}

function implementSkills(served: readonly (Skill & Visible)[], server: RevisionServer): ServedHandlers {
  const listing = createListing<Skill & Visible>(
    {
      member: "skills",
      catalogue: { version: 0, changedAt: () => 0, [Symbol.iterator]: () => served[Symbol.iterator]() },
      describe: toSkillEntry,
    },
    server,
  );
  const head = server.envelope.cacheable(server.parts.settings.cacheHints.skills);
  const results = new Map(
    served.map(toSkillEntry).map((skill) => [skill.uri, new StaticResult({ ...head, skill })] as const),
  );
  return {
    listSkills: toListHandler(listing),
    getSkill({ uri }) {
      const result = results.get(uri);
      if (!result) throw reject(`Skill not found: ${uri}`, { uri });
      return result;
    },
  };
}

function implementDirectories(
  { folders }: SkillTree,
  { revision, envelope, parts }: RevisionServer,
): NonNullable<ServedHandlers["readResourceDirectory"]> {
  const { cursors, pageSize = Infinity } = parts.settings;
  return async ({ uri, cursor }) => {
    const items = folders.get(uri);
    if (!items) throw reject(`Skill folder not found: ${uri}`, { uri });
    const scope = ["folder", revision.id, uri].join("\n");
    const start = cursor === undefined ? 0 : Number(await cursors.verify(scope, cursor));
    const end = start + pageSize;
    const page = { ...envelope.result, resources: items.slice(start, end) };
    return end < items.length ? { ...page, nextCursor: await cursors.sign(scope, String(end)) } : page;
  };
}
