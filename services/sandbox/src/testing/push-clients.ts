import type { IssuedSubscription } from '../providers/web-push/issue-subscription.ts';
import type { TestSandbox } from './test-sandbox.ts';

/** Creates a browser subscription. */
export async function subscribeAt(
  sandbox: TestSandbox,
  applicationServerKey?: string,
): Promise<IssuedSubscription> {
  const answer = await sandbox.request(
    'POST',
    '/push/subscriptions',
    applicationServerKey === undefined ? {} : { applicationServerKey },
  );
  return (await answer.json()) as IssuedSubscription;
}
