import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import type { SentPush } from '../../load/delivery/pushes.ts';
import { runFor } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';

const COPIES = 50;
const SECOND_GATEWAY = 'gateway-2';

export const pushesCopied: DeliveryRow = {
  id: 'D20',
  fault: '50 concurrent copies of one push to two gateways; the same key with another body',
  brokers: 1,
  async inject(run) {
    const second = await run.rig.supervisor.add({ name: SECOND_GATEWAY, program: 'gateway' });
    for (let round = 0; round < run.plan.kills; round += 1) {
      const channel = SENT_CHANNELS[round % SENT_CHANNELS.length] ?? 'EMAIL';
      await copyPush(
        run,
        round % 2 === 0 ? run.pushes.one(channel) : run.pushes.bulk(channel, 0.1),
        [run.rig.gatewayUrl, second],
      );
      await runFor(run, 0, 300);
    }
    await run.rig.supervisor.remove(SECOND_GATEWAY);
  },
};

async function copyPush(run: DeliveryRun, push: SentPush, urls: readonly string[]): Promise<void> {
  // Recorded before anything is sent, so that all oracles check it.
  run.load.ledger.open(push);
  const answers = await Promise.all(
    Array.from({ length: COPIES }, (_, copy) =>
      post(run, { push, url: urls[copy % urls.length] ?? '', body: push.body }),
    ),
  );
  const bodies = new Set(answers.map(({ text }) => text));
  const statuses = new Set(answers.map(({ status }) => status));
  if (bodies.size !== 1 || statuses.size !== 1 || !statuses.has(200))
    run.violations.push({
      oracle: 'answers',
      what: `${COPIES} copies of ${push.key} got ${bodies.size} different responses: ${[...statuses].join(', ')}`,
    });
  const [first] = answers;
  if (first?.status === 200)
    push.attempts.push({
      sentAt: performance.now(),
      answeredAt: performance.now(),
      status: 200,
      campaignId: (JSON.parse(first.text) as PushAccepted).campaignId,
    });
  const other = await post(run, { push, url: urls[0] ?? '', body: `${push.body} ` });
  if (other.status !== 409)
    run.violations.push({
      oracle: 'answers',
      what: `the key of ${push.key} with another body returned ${other.status}`,
    });
}

async function post(
  { senders }: DeliveryRun,
  { push, url, body }: { readonly push: SentPush; readonly url: string; readonly body: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    ...senders[push.application]?.headers,
    'Idempotency-Key': push.key,
    'Content-Type': 'application/json',
  };
  const answer = await fetch(`${url}/push`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}
