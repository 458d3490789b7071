/** Brings a user to the authorization server and back. */
export interface Redirector {
  /**
   * Prepares to receive one authorization response.
   *
   * @param options - `preferred`: redirect URI in the registration of this client, to be reused if possible
   */
  open(options: { readonly preferred: string | undefined }): Promise<Redirection>;
}

/** One sign-in at an authorization server and back. */
export interface Redirection {
  /** URL to which the user returns: `https`, or `http` on this machine. */
  readonly redirectUri: string;
  /**
   * Sends the user to a URL and resolves with the complete URL of the user's return. Rejects if the user does not return. The sign-in URL holds no
   * secret but must not be changed. The returned URL holds a secret and must not be logged.
   *
   * @param options.state - value known only to this request and its response; a response without it belongs to another request
   */
  visit(url: URL, options: { readonly state: string }): Promise<string>;
  close(): Promise<void>;
}
