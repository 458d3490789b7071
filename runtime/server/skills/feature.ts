import { extension } from "../../../generated/extensions/skills/methods.ts";
import { toCacheMembers, toPrivate } from "../../protocol/methods/cache-hint.ts";
import { toContent } from "../../skills/file.ts";
import { toSkillEntry, type Skill } from "../../skills/skill.ts";
import { createSkillTree, type SkillTree } from "../../skills/tree.ts";
import type { AnyResource, AnyServerDefinition, Visible } from "../any-definition.ts";
import { checkUnique } from "../check-definition.ts";
import type { ServerSkills } from "../definition.ts";
import { reject } from "../errors.ts";
import { defineExtension } from "../extensions/define-extension.ts";
import { extensionSupport } from "../extensions/extension-support.ts";
import type { Feature } from "../feature.ts";
import { isVisible } from "../list/list-page.ts";

/** Skills: folders of text and files for the host's model. The resources feature serves their files. */
export const skills: Feature = {
  name: "skills",
  extensionSupport,
  extension: (source: AnyServerDefinition & ServerSkills) =>
    source.skills && source.skills.length > 0 ? serveSkills(source.skills, source) : undefined,
  check({ skills: served = [] }: ServerSkills) {
    const paths = served.map(({ path }) => path);
    checkUnique("skills", "path", paths);
  },
};

/** Defines the extension with these skills: an extension like one of a user. */
function serveSkills(
  served: readonly (Skill & Visible)[],
  { directoryRead = false, cacheHints: { skills: hint } = {} }: AnyServerDefinition & ServerSkills,
): ReturnType<typeof defineExtension> {
  const tree = createSkillTree(served);
  const entries = new Map(served.map(toSkillEntry).map((skill) => [skill.uri, skill] as const));
  const isPublic = served.every(({ visible }) => visible === undefined);
  const listed = toCacheMembers(isPublic ? hint : toPrivate(hint));
  return defineExtension(extension, {
    declared: { server: { ...(directoryRead && { directoryRead }) } },
    setup(place) {
      if (place.end !== "server") return;
      for (const resource of toResources(tree, hint)) place.server.resources?.add(resource);
    },
    requests: {
      async "skills/list"(_params, context) {
        const { items, ...next } = await context.page(served.filter((skill) => isVisible(skill, context)));
        return { ...listed, ...next, skills: items.map(toSkillEntry) };
      },
      "skills/get"({ uri }) {
        const skill = entries.get(uri);
        if (!skill) throw reject(`Skill not found: ${uri}`, { uri });
        return { ...toCacheMembers(hint), skill };
      },
      ...(directoryRead && {
        async "resources/directory/read"({ uri }, { page }) {
          const folder = tree.folders.get(uri);
          if (!folder) throw reject(`Skill folder not found: ${uri}`, { uri });
          const { items, ...next } = await page(folder);
          return { ...next, resources: [...items] };
        },
      }),
    },
  });
}

/** Converts the files of skills to resources. Lists contain only `SKILL.md`: the entry of the skill names the other files. */
function toResources({ files }: SkillTree, cacheHint: AnyResource["cacheHint"]): readonly AnyResource[] {
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
