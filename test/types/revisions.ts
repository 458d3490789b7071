import * as v2024 from "../../generated/2024-11-05/index.ts";
import * as v202503 from "../../generated/2025-03-26/index.ts";
import * as v202506 from "../../generated/2025-06-18/index.ts";
import * as v202511 from "../../generated/2025-11-25/index.ts";
import * as v2026 from "../../generated/2026-07-28/index.ts";
import type * as skills from "../../generated/extensions/skills/index.ts";
import type * as tasks from "../../generated/extensions/tasks/index.ts";
import type * as ui from "../../generated/extensions/ui/index.ts";

/** Modules of every revision. `handlers.test.ts` fails while one is missing. */
export const revisions = {
  "2024-11-05": v2024,
  "2025-03-26": v202503,
  "2025-06-18": v202506,
  "2025-11-25": v202511,
  "2026-07-28": v2026,
};

/** Declarations of every extension. */
export interface Extensions {
  readonly skills: skills.Declarations;
  readonly tasks: tasks.Declarations;
  readonly ui: ui.Declarations;
}

/** Names of the extensions, of which types do not exist while a test runs. */
export const extensions: { readonly [Name in keyof Extensions]: true } = { skills: true, tasks: true, ui: true };
