import type { Impact } from "../../generator/typed-client/contract/impact.ts";

/** Impacts of a change of the protocol on the writer and the reader of a value. */
export interface SideImpacts {
  readonly writes: Impact;
  readonly reads: Impact;
}

/** Returns the impact of an added or removed member. */
export function memberImpacts(kind: "added" | "removed", optional: boolean): SideImpacts {
  if (kind === "added") return { writes: optional ? "additive" : "breaking", reads: "additive" };
  return { writes: "risky", reads: optional ? "risky" : "breaking" };
}

/** Returns the impact of a member that became optional or required. */
export function optionalImpacts(optional: boolean): SideImpacts {
  return optional ? { writes: "additive", reads: "breaking" } : { writes: "breaking", reads: "additive" };
}

/** Returns the impact of changed values. With more values, a reader may get an unknown one; with fewer, a writer must use one of the rest. */
export function typeImpacts(hasLost: boolean, hasGained: boolean): SideImpacts {
  if (hasLost && hasGained) return { writes: "breaking", reads: "breaking" };
  return hasLost ? { writes: "breaking", reads: "additive" } : { writes: "additive", reads: "risky" };
}
