import type { SignIn } from "./sign-ins.ts";

/** Writes the page on which the user allows or denies a sign-in. */
export function writeSignInPage(id: string, { client, redirectUri, scope }: SignIn, user: string): string {
  const name = client.name === "" ? "A client without a name" : client.name;
  const target = new URL(redirectUri);
  const place = target.host === "" ? target.protocol : target.host;
  return writePage(
    "Sign in",
    `<p><strong>${escape(name)}</strong> wants to use the server as <strong>${escape(user)}</strong>.</p>
<p>Then you return to <code>${escape(place)}</code>.</p>
${scope === undefined ? "" : `<p>Scopes: <code>${escape(scope)}</code></p>\n`}<form method="post">
<input type="hidden" name="id" value="${escape(id)}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button>
</form>`,
  );
}

/** Writes the page of a failed sign-in. */
export function writeProblemPage(problem: string): string {
  return writePage("Sign-in failed", `<p>${escape(problem)}.</p>`);
}

function writePage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

/** Texts of clients may have any character. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
