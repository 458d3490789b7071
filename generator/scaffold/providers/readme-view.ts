import type { ProviderName } from "./provider.ts";
import { findProvider, localEnvironment, requirementsOf, settingsOf } from "./providers.ts";

/** Returns the view of a preset in the README of a project. */
export function providerView(provider: ProviderName): object {
  const { facts } = findProvider(provider);
  return {
    title: facts.title,
    settings: settingsOf(provider),
    required: requirementsOf(provider)
      .map((names) => names.replaceAll(/[A-Z][A-Z\d_]*/g, "`$&`"))
      .join(", "),
    steps: facts.steps,
    limits: facts.limits,
    sources: facts.sources,
    checked: facts.checked,
    local: Object.entries(localEnvironment(provider)).map(([name, value]) => ({ name, value })),
    facts: [
      { name: "issuer", value: `\`${facts.issuer}\`` },
      { name: "keys", value: /^(https:|\{)/.test(facts.keys) ? `\`${facts.keys}\`` : facts.keys },
      { name: "audience", value: facts.audience },
      { name: "scopes", value: facts.scopes },
      { name: "dynamic client registration", value: facts.registration },
      { name: "client ID metadata documents", value: facts.clientDocuments },
      { name: "resource indicators (RFC 8707)", value: facts.resourceIndicators },
      { name: "issuer in responses (RFC 9207)", value: facts.issuerInResponses },
    ],
  };
}
