import { answerParent } from '../../child/answer-parent.ts';
import type { WorkerChannel } from '../channels.ts';
import type { BareClient, BarePlan } from './clients/client.ts';

export type BareResult = { readonly seconds: number; readonly cpuSeconds: number };

/** Loaded on demand, so that unused clients take no memory from the measured one. */
const CLIENTS: Readonly<Record<WorkerChannel, (plan: BarePlan) => Promise<BareClient>>> = {
  EMAIL: async (plan) => (await import('./clients/email.ts')).createMailClient(plan),
  WEB_HOOK: async (plan) => (await import('./clients/web-hook.ts')).createHookClient(plan),
  SMS: async (plan) => (await import('./clients/sms.ts')).createSmsClient(plan),
  WEB_PUSH: async (plan) => (await import('./clients/web-push.ts')).createPushClient(plan),
  APP_PUSH: async (plan) => (await import('./clients/app-push.ts')).createFcmClient(plan),
};

/**
 * The bare client: the workers' libraries send the same messages at the same concurrency, without
 * reading, deciding or recording anything.
 */
answerParent<BarePlan, BareResult>(async (plan) => {
  const client = await CLIENTS[plan.channel](plan);
  // Connections are opened before the measurement, as in a running worker.
  await inParallel(plan.concurrency, plan.concurrency, (index) => client.send(index));
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await inParallel(plan.messages, plan.concurrency, (index) => client.send(index));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  await client.close();
  return { seconds, cpuSeconds: (user + system) / 1_000_000 };
});

async function inParallel(
  count: number,
  concurrency: number,
  send: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
