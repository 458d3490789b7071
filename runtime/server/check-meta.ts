import { isObject } from "../../generated/support.ts";
import { checkMeta } from "../common/meta-keys.ts";
import { SetupError } from "../rpc/errors.ts";

/** Refuses what is shown with metadata of a bad name. */
export function checkMetaOf(shown: object, where: string): void {
  const meta: unknown = Reflect.get(shown, "_meta");
  const problem = isObject(meta) ? checkMeta(meta) : undefined;
  if (problem !== undefined) throw new SetupError(`${where}: ${problem}`);
}
