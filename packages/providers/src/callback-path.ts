/** Where a provider calls back: `/cb/{channel}/{provider}/{kind}`. */
export type CallbackPath = {
  readonly channel: 'sms';
  /** The slug of the provider. */
  readonly provider: string;
  readonly kind: 'status' | 'inbound';
};

/** The worker hands this path to the provider, and client-api answers at it. */
export function callbackPathOf({ channel, provider, kind }: CallbackPath): string {
  return `/cb/${channel}/${provider}/${kind}`;
}
