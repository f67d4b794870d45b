import { createTransport } from 'nodemailer';
import { Agent, request } from 'undici';
import { answerParent } from '../../child/answer-parent.ts';

/** What it sends: so many messages, so many at a time. */
export type BarePlan = { readonly channel: 'EMAIL' | 'WEB_HOOK'; readonly messages: number; readonly concurrency: number; readonly smtpPort: number; readonly url: string; readonly body: string };
export type BareResult = { readonly seconds: number; readonly cpuSeconds: number };

/**
 * The bare limit: the very libraries the workers use, sending the same messages at the same concurrency, with nothing read,
 * decided or written down.
 */
answerParent<BarePlan, BareResult>(async (plan) => {
  const client = plan.channel === 'EMAIL' ? mailClient(plan) : hookClient(plan);
  // Connections are there before the clock starts, as in a worker that has been at work.
  await inParallel(plan.concurrency, plan.concurrency, (index) => client.send(index));
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await inParallel(plan.messages, plan.concurrency, (index) => client.send(index));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  await client.close();
  return { seconds, cpuSeconds: (user + system) / 1_000_000 };
});

type BareClient = { send(index: number): Promise<unknown>; close(): Promise<void> };

function mailClient({ smtpPort, concurrency, body }: BarePlan): BareClient {
  const pool = createTransport({ pool: true, host: '127.0.0.1', port: smtpPort, secure: false, ignoreTLS: true, maxConnections: concurrency, maxMessages: 1_000 });
  return {
    send: (index) =>
      pool.sendMail({
        from: { name: 'Bench', address: 'hello@bench.example' },
        to: { name: '', address: `user-${index}@people.example` },
        subject: 'Hello',
        messageId: `<${crypto.randomUUID()}@bench.example>`,
        headers: { 'X-Tidings-Campaign': crypto.randomUUID(), 'X-Tidings-Delivery': crypto.randomUUID() },
        text: body,
      }),
    close: async () => pool.close(),
  };
}

function hookClient({ url, concurrency, body }: BarePlan): BareClient {
  const dispatcher = new Agent({ connections: concurrency });
  return {
    async send(index) {
      const content = JSON.stringify({
        campaignId: crypto.randomUUID(),
        deliveryId: crypto.randomUUID(),
        channel: 'WEB_HOOK',
        recipient: { customUserId: `user-${index}`, serviceUserId: null },
        title: null,
        body,
        customContent: null,
        sentAt: Date.now(),
      });
      const answer = await request(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: content, dispatcher });
      await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
    },
    close: () => dispatcher.close(),
  };
}

async function inParallel(count: number, concurrency: number, send: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
