/** Path of a provider's callbacks: `/cb/{channel}/{provider}/{kind}`. */
export type CallbackPath = {
  readonly channel: 'sms';
  /** The name of the provider. */
  readonly provider: string;
  readonly kind: 'status' | 'inbound';
};

/** The worker gives this path to the provider; client-api serves it. */
export function buildCallbackPath({ channel, provider, kind }: CallbackPath): string {
  return `/cb/${channel}/${provider}/${kind}`;
}
