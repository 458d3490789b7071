/** Brings a user to the authorization server and back. */
export interface Redirector {
  /**
   * Prepares to receive one answer.
   *
   * @param options - `preferred`: the redirect URI that this client is registered with, to be used again where that is possible
   */
  open(options: { readonly preferred: string | undefined }): Promise<Redirection>;
}

/** One way to an authorization server and back. */
export interface Redirection {
  /** Where the user comes back to: `https`, or `http` on this machine. */
  readonly redirectUri: string;
  /**
   * Sends the user to a URL, and resolves with the whole URL that the user came back with. Rejects when that does not happen. The URL holds no
   * secret but must not be changed; the one that comes back does hold one, and must not be logged.
   *
   * @param state - is in the answer to this request and in no other: what comes without it is somebody else's
   */
  visit(url: URL, options: { readonly state: string }): Promise<string>;
  close(): Promise<void>;
}
