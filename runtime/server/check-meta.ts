import { isObject } from "../../generated/support.ts";
import { checkMeta } from "../common/meta-keys.ts";

/** Refuses what is shown with metadata of a bad name. */
export function checkMetaOf(shown: object, where: string): void {
  const meta: unknown = Reflect.get(shown, "_meta");
  if (isObject(meta)) checkMeta(meta, where);
}
