import { cardSchema } from "../../../runtime/server-card/card.ts";

/** Smallest valid card. */
export const smallCard = {
  $schema: cardSchema,
  name: "com.example/weather",
  version: "1.2.0",
  description: "Weather of every town.",
} as const;

/** Valid card with every member. */
export const fullCard = {
  ...smallCard,
  title: "Weather",
  websiteUrl: "https://example.com/weather",
  repository: { url: "https://github.com/example/weather", source: "github", subfolder: "server", id: "1" },
  icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }],
  remotes: [
    {
      type: "streamable-http",
      url: "https://{tenant}.example.com/mcp",
      headers: [
        {
          name: "Authorization",
          description: "Token",
          isRequired: true,
          isSecret: true,
          format: "string",
          value: "Bearer {token}",
          variables: { token: { isRequired: true, choices: ["a", "b"] } },
        },
      ],
      variables: { tenant: { description: "Tenant", default: "main", placeholder: "main" } },
      supportedProtocolVersions: ["2025-11-25"],
    },
  ],
  _meta: { "com.example/note": true },
} as const;
