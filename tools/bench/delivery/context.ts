import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRecord, PushAccepted } from '@tidings/contracts/push/campaigns';
import { workerName } from '@tidings/contracts/topics';
import { callApi, type ApiAccess } from '@tidings/local';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import { readCounters, type Counters, type MeasuredProcess } from '../installation/costs.ts';
import { CONNECTION_OF, userOf, type DeliveryChannel } from './channels.ts';
import type { Sink } from './sink/start-sink.ts';
import type { Sizes } from './sizes.ts';

/** Shared by the parts of one run. */
export type DeliveryBench = {
  readonly bench: BenchInstallation;
  readonly sink: Sink;
  readonly sizes: Sizes;
  /** Sends a push to `recipients` users from number `from` (0) on; resolves when accepted. */
  push(options: {
    readonly channel: DeliveryChannel;
    readonly recipients: number;
    readonly from?: number;
    readonly message?: object;
    /** Milliseconds since the epoch; absent: at once. */
    readonly sendAt?: number;
    /** The message is a template. */
    readonly isPersonal?: boolean;
  }): Promise<PushAccepted>;
  /**
   * Resolves with the report of a completed campaign.
   * @throws after `COMPLETE_WITHIN_MS`, or if a delivery failed
   */
  completed(campaignId: string): Promise<CampaignRecord>;
  /** Adds to the channel's settings, which point at the sink, and proves them by a test send. */
  configure(channel: DeliveryChannel, settings?: object): Promise<void>;
  /** CPU of all processes, the sink and `others` included, and WAL. */
  readCounters(others?: readonly MeasuredProcess[]): Promise<Counters>;
};

/** Maximum sends in flight of one large campaign, and of the bare client. */
export const CONCURRENCY = 50;
/**
 * Worker slots: a fifth is reserved for small campaigns and a tenth for idle applications; the rest
 * is available to a large campaign.
 */
export const SLOTS = 72;

/** The length of a short mail. */
export const BODY = 'Your order is on its way. '.repeat(20);

const COMPLETE_WITHIN_MS = 300_000;
/**
 * The report of a running campaign reads every outcome, so frequent polling would distort the
 * measurement.
 */
const LOOK_EVERY_MS = 1_000;

export type DeliveryBenchOptions = {
  readonly sink: Sink;
  readonly sizes: Sizes;
  /** Channels whose workers run. */ readonly channels: readonly DeliveryChannel[];
};

/** Points the bench's application at the sink. */
export async function createDeliveryBench(
  bench: BenchInstallation,
  { sink, sizes, channels }: DeliveryBenchOptions,
): Promise<DeliveryBench> {
  const { baseUrl, adminToken } = bench.tidings.local;
  const { applicationId, headers } = bench.tenant;
  const admin: ApiAccess = {
    baseUrl,
    headers: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId },
  };
  const configure = async (channel: DeliveryChannel, more: object = {}): Promise<void> => {
    const { settings, testAddress } = CONNECTION_OF[channel](sink);
    await callApi(admin, {
      method: 'PUT',
      path: `/api/v1/channels/${channel}`,
      body: { ...settings, ...more },
    });
    const tested = await callApi<{ readonly ok: boolean }>(admin, {
      method: 'POST',
      path: `/api/v1/channels/${channel}/test`,
      body: { to: testAddress },
    });
    if (!tested.ok)
      throw new Error(`the test send by ${channel} failed: ${JSON.stringify(tested)}`);
  };
  for (const channel of channels) await configure(channel);
  const caller: ApiAccess = { baseUrl, headers };
  return {
    bench,
    sink,
    sizes,
    configure,
    readCounters: (others = []) =>
      readCounters(bench, [{ group: 'sink', processId: sink.processId }, ...others]),
    push: ({ channel, recipients, from = 0, message = {}, sendAt, isPersonal = false }) =>
      callApi<PushAccepted>(caller, {
        method: 'POST',
        path: '/push',
        body: {
          channel,
          recipients: Array.from({ length: recipients }, (_, index) => userOf(from + index)),
          message: { body: BODY, ...message },
          sendAt,
          ...(isPersonal && { personalize: true }),
        },
      }),
    completed: (campaignId) => untilCompleted(caller, campaignId),
  };
}

async function untilCompleted(caller: ApiAccess, campaignId: string): Promise<CampaignRecord> {
  const deadline = performance.now() + COMPLETE_WITHIN_MS;
  for (;;) {
    const campaign = await callApi<CampaignRecord>(caller, {
      path: `/api/v1/campaigns/${campaignId}`,
    });
    if (campaign.status === 'completed') {
      const { counts } = campaign;
      if (counts.successful + counts.waiting !== counts.total)
        throw new Error(
          `some deliveries were not sent: ${JSON.stringify(counts)} ${JSON.stringify(campaign.failures)}`,
        );
      return campaign;
    }
    if (performance.now() > deadline)
      throw new Error(
        `not completed in ${COMPLETE_WITHIN_MS / 1000} s: ${JSON.stringify(campaign.counts)}`,
      );
    await delay(LOOK_EVERY_MS);
  }
}

/** URLs of the services that run for a part, by name. */
export type ServiceUrls = Readonly<Record<string, string>>;

/**
 * Runs a part with the workers of its channels and its services only; others would take CPU from
 * the measurement.
 */
export async function withServices<T>(
  { tidings: { supervisor } }: BenchInstallation,
  services: readonly string[],
  work: (urls: ServiceUrls) => Promise<T>,
): Promise<T> {
  const urls: Record<string, string> = {};
  for (const name of services) urls[name] = await supervisor.add({ name, program: name });
  const result = await work(urls);
  for (const name of services) await supervisor.remove(name);
  return result;
}

export const listWorkers = (channels: readonly DeliveryChannel[]): string[] =>
  channels.map((channel) => workerName(channel));
