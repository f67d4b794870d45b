import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRecord, PushAccepted } from '@tidings/contracts';
import { callApi, type ApiAccess } from '@tidings/local';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import type { Sink } from './sink/start-sink.ts';
import type { Sizes } from './sizes.ts';

export const DELIVERY_CHANNELS = ['EMAIL', 'WEB_HOOK'] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];

/** What the parts of one run share. */
export type DeliveryBench = {
  readonly bench: BenchInstallation;
  readonly sink: Sink;
  readonly sizes: Sizes;
  /** Pushes to the first so many users; resolves when it is accepted. */
  push(options: { readonly channel: DeliveryChannel; readonly recipients: number; readonly message?: object }): Promise<PushAccepted>;
  /** Resolves with the report of a campaign that is completed. @throws when it is not within `COMPLETE_WITHIN_MS`, or anything failed */
  completed(campaignId: string): Promise<CampaignRecord>;
};

/** Sends in flight of one large campaign at most, and of the bare client. */
export const CONCURRENCY = 50;
/** Of a worker's slots a fifth is for small campaigns and a tenth for applications that have none: a large one has the rest. */
export const SLOTS = 72;

/** As long as a short mail. */
export const BODY = 'Your order is on its way. '.repeat(20);

const COMPLETE_WITHIN_MS = 300_000;
/** The report of a campaign at work reads every outcome that there is: who looks often measures that. */
const LOOK_EVERY_MS = 1_000;
const HOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Points the bench's application at the sink. */
export async function createDeliveryBench(bench: BenchInstallation, { sink, sizes }: { readonly sink: Sink; readonly sizes: Sizes }): Promise<DeliveryBench> {
  const { baseUrl, adminToken } = bench.tidings.local;
  const { applicationId, headers } = bench.tenant;
  const admin: ApiAccess = { baseUrl, headers: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId } };
  const settings: Readonly<Record<DeliveryChannel, object>> = {
    EMAIL: { host: '127.0.0.1', port: sink.smtpPort, security: 'none', fromAddress: 'hello@bench.example', fromName: 'Bench' },
    WEB_HOOK: { url: `${sink.httpUrl}/hooks`, secret: HOOK_SECRET },
  };
  for (const channel of DELIVERY_CHANNELS) {
    await callApi(admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: settings[channel] });
    const tested = await callApi<{ readonly ok: boolean }>(admin, { method: 'POST', path: `/api/v1/channels/${channel}/test`, body: { to: 'user-00000000@people.example' } });
    if (!tested.ok) throw new Error(`the test send by ${channel} failed: ${JSON.stringify(tested)}`);
  }
  const caller: ApiAccess = { baseUrl, headers };
  return {
    bench,
    sink,
    sizes,
    push: ({ channel, recipients, message = {} }) =>
      callApi<PushAccepted>(caller, {
        method: 'POST',
        path: '/push',
        body: { channel, recipients: Array.from({ length: recipients }, (_, index) => userOf(index)), message: { body: BODY, ...message } },
      }),
    async completed(campaignId) {
      const deadline = performance.now() + COMPLETE_WITHIN_MS;
      for (;;) {
        const campaign = await callApi<CampaignRecord>(caller, { path: `/api/v1/campaigns/${campaignId}` });
        if (campaign.status === 'completed') {
          if (campaign.counts.successful !== campaign.counts.total) throw new Error(`not everything was sent: ${JSON.stringify(campaign.counts)} ${JSON.stringify(campaign.failures)}`);
          return campaign;
        }
        if (performance.now() > deadline) throw new Error(`not completed in ${COMPLETE_WITHIN_MS / 1000} s: ${JSON.stringify(campaign.counts)}`);
        await delay(LOOK_EVERY_MS);
      }
    },
  };
}

/** As the load generator names them. */
export function userOf(index: number): string {
  return `user-${String(index).padStart(8, '0')}`;
}
