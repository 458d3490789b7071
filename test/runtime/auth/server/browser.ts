import type { Redirector } from "../../../../runtime/auth/client/index.ts";

/** Follows redirects and keeps cookies as the browser of a user who signs in, until a redirect leads to the application. */
export async function signIn(url: URL, redirectUrl: string, cookies = new Map<string, string>()): Promise<URL> {
  let next = url;
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`${next.pathname} has the status ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    next = new URL(location, next);
    if (next.href.startsWith(redirectUrl)) return next;
  }
  throw new Error("the browser was sent around in circles");
}

/** A browser of one user for a client of ours, and where it has been sent. */
export function createBrowser(redirectUri: string): Redirector & { readonly visits: URL[] } {
  const visits: URL[] = [];
  const cookies = new Map<string, string>();
  const visit = async (url: URL): Promise<string> => {
    visits.push(url);
    return (await signIn(url, redirectUri, cookies)).href;
  };
  return { visits, open: async () => ({ redirectUri, visit, close: async () => {} }) };
}
