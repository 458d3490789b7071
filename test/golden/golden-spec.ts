import { cp } from "node:fs/promises";
import { join } from "node:path";

/** Copies the golden spec into a folder, and returns the folder of the copy. */
export async function copyGoldenSpec(folder: string): Promise<string> {
  const spec = join(folder, "spec");
  await cp("test/golden/spec", spec, { recursive: true });
  await cp("spec/overlay.schema.json", join(spec, "overlay.schema.json"));
  return spec;
}
