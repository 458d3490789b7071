import { isObject } from "../../generated/support.ts";
import { checkMeta } from "../protocol/meta-keys.ts";
import { SetupError } from "../jsonrpc/errors.ts";

/** Refuses what is shown with metadata of a bad name. */
export function checkMetaOf(shown: object, where: string): void {
  const meta: unknown = Reflect.get(shown, "_meta");
  const problem = isObject(meta) ? checkMeta(meta) : undefined;
  if (problem !== undefined) throw new SetupError(`${where}: ${problem}`);
}
