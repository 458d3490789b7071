import type { HostFact, HostProfile } from "../../../tools/check/hosts/profiles.ts";

/** Table of the documented rules of hosts, for the guide. */
export function hostTable(hosts: Readonly<Record<string, HostProfile>>): string {
  const rows = Object.entries(hosts).flatMap(([id, { facts }]) =>
    facts.map((fact) => `| \`${id}\` | ${describe(fact)} | [read ${fact.read}](${fact.source}) |`),
  );
  return ["| host | rule | source |", "| --- | --- | --- |", ...rows].join("\n");
}

function describe(fact: HostFact): string {
  switch (fact.kind) {
    case "transports": {
      const old = fact.deprecated ? `; ${list(fact.deprecated)} may end` : "";
      return `connects over ${list(fact.supported)}${old}`;
    }
    case "auth":
      return `authentication: ${list(fact.supported)}`;
    case "annotations":
      return fact.required
        ? `tools have explicit ${list(fact.required)}`
        : `tools have one of ${list(fact.oneOf ?? [])}`;
    case "tool-name":
      return `\`${fact.prefix}\` and the name of a tool have at most ${fact.max} characters`;
    case "tool-description":
      return `reads ${fact.max} characters of a tool's description`;
    case "instructions":
      return fact.max === undefined
        ? `what matters is in the first ${fact.preferred} characters of the instructions`
        : `reads ${fact.max} characters of the instructions`;
    case "tools":
      return `supports ${fact.max} tools of all servers together`;
    case "capability": {
      const name = `\`${fact.paths.map((path) => path.join(".")).join("` or `")}\``;
      const over = fact.transports ? ` over ${list(fact.transports)}` : "";
      const at = fact.revisions ? ` at ${list(fact.revisions)}` : "";
      const by = fact.delivery ? `, delivered by ${list(fact.delivery)}` : "";
      return `uses ${name}${over}${at} only${by}`;
    }
    case "tool-search":
      return `shows tools after a search only, which finds them by ${list(fact.by)}`;
    case "features": {
      const unused = fact.unsupported ? `, not ${list(fact.unsupported)}` : "";
      return `uses ${list(fact.supported)}${unused}`;
    }
    default:
      return fact satisfies never;
  }
}

function list(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
