/** The ids that worker-sms puts in its callback URL. */
export function readCallbackIds(callbackUrl: string | null): {
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
} {
  const query = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.searchParams;
  return {
    campaignId: query?.get('c') ?? null,
    deliveryId: query?.get('d')?.split('.')[0] ?? null,
  };
}
