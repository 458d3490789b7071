import type { PageCommand } from "../page-messages.ts";

/**
 * Sends a command to the inspector.
 *
 * @throws {Error} when the inspector rejects it, or no longer runs
 */
export async function sendCommand({ kind, ...body }: PageCommand): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(kind, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch (cause) {
    throw new Error("The inspector no longer runs; start it again, and open its new address.", { cause });
  }
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}
