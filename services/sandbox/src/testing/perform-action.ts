import type { TestSandbox } from './test-sandbox.ts';

type Found = {
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  readonly to: string;
};

/** Performs an action on the newest message, or on another one. */
export async function performAction(
  sandbox: TestSandbox,
  action: Readonly<Record<string, unknown>>,
  message?: Found,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const newest = (await sandbox.messages()).messages[0];
  const { campaignId, deliveryId, to } = message ??
    newest ?? { campaignId: 'none', deliveryId: 'none', to: 'none' };
  const answer = await sandbox.request('POST', '/api/actions', {
    campaignId,
    deliveryId,
    to,
    ...action,
  });
  return { status: answer.status, body: await answer.json() };
}
