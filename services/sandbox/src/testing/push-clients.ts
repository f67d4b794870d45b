import type { TestSandbox } from './test-sandbox.ts';

export type IssuedSubscription = { readonly subscriptionId: string; readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } };

/** A browser that subscribes, as the sandbox has any number of them. */
export async function subscribeAt(sandbox: TestSandbox, applicationServerKey?: string): Promise<IssuedSubscription> {
  const answer = await sandbox.request('POST', '/push/subscriptions', applicationServerKey === undefined ? {} : { applicationServerKey });
  return (await answer.json()) as IssuedSubscription;
}
