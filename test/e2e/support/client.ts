import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import type { CampaignRecord, PushAccepted } from '@tidings/contracts/push/campaigns';
import type { DeliveryRecord } from '@tidings/campaign-reports/list-deliveries';
import type { IngestReport } from '@tidings/events/ingest-log/ingest-report';
import type { LocalFile } from '@tidings/local';

/** A response; status 0 if there was none. */
export type Answer<T = unknown> = {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
  readonly tookMs: number;
};

const TIMEOUT_MS = 15_000;

/** A client of one installation, with a Server key. */
export function createClient(
  local: Pick<LocalFile, 'applicationId' | 'serverKey' | 'baseUrl' | 'sandboxUrl'>,
) {
  const auth = { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey };

  const call = async <T>(
    method: string,
    url: string,
    {
      body,
      headers = auth,
    }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> => {
    const startedAt = performance.now();
    try {
      const answer = await fetch(url, {
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        body: (text === '' ? undefined : JSON.parse(text)) as T,
        headers: answer.headers,
        tookMs: performance.now() - startedAt,
      };
    } catch {
      return {
        status: 0,
        body: undefined as T,
        headers: new Headers(),
        tookMs: performance.now() - startedAt,
      };
    }
  };

  const read = async <T>(path: string): Promise<T> => {
    const answer = await call<T>('GET', `${local.baseUrl}/api/v1/${path}`);
    if (answer.status !== 200)
      throw new Error(`GET ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  return {
    call,
    read,
    submit: (body: unknown) => call<IngestAccepted>('POST', `${local.baseUrl}/`, { body }),
    push: (body: unknown) => call<PushAccepted>('POST', `${local.baseUrl}/push`, { body }),
    ingestReport: (requestId: string) => read<IngestReport>(`ingest/${requestId}`),
    campaign: (campaignId: string) => read<CampaignRecord>(`campaigns/${campaignId}`),
    /** All deliveries of a campaign, over all pages. */
    async deliveries(campaignId: string): Promise<DeliveryRecord[]> {
      const all: DeliveryRecord[] = [];
      for (let cursor = ''; ;) {
        const page = await read<{ items: DeliveryRecord[]; nextCursor: string | null }>(
          `campaigns/${campaignId}/deliveries?limit=500${cursor && `&cursor=${cursor}`}`,
        );
        all.push(...page.items);
        if (page.nextCursor === null) return all;
        cursor = page.nextCursor;
      }
    },
    sandbox: <T>(method: string, path: string, body?: unknown) =>
      call<T>(method, `${local.sandboxUrl}${path}`, { body, headers: {} }),
  };
}
export type Client = ReturnType<typeof createClient>;

/**
 * The sum of counts, which always equals the total (packages/contracts/README.md, "States of a
 * delivery").
 */
export function sumOfCounts({ counts }: CampaignRecord): number {
  const { successful, failed, unknown, expired, canceled, pending, waiting } = counts;
  return successful + failed + unknown + expired + canceled + pending + waiting;
}

/** Registers users with e-mail addresses `<id>@people.example`, a few requests in parallel. */
export async function registerUsers(
  client: Client,
  customUserIds: readonly string[],
): Promise<void> {
  const queue = [...customUserIds];
  const work = async (): Promise<void> => {
    for (let customUserId = queue.pop(); customUserId !== undefined; customUserId = queue.pop()) {
      const message = {
        type: 'user',
        id: `register-${customUserId}`,
        time: Date.now(),
        email: `${customUserId}@people.example`,
      };
      const answer = await client.submit({ customUserId, messages: [message] });
      if (answer.status !== 200) throw new Error(`registration returned ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

/** Number of mails per user of a campaign, from the sandbox. */
export async function listMails(
  client: Client,
  campaignId: string,
  customUserIds: readonly string[],
): Promise<Map<string, number>> {
  const mails = new Map<string, number>();
  const queue = [...customUserIds];
  const work = async (): Promise<void> => {
    for (let customUserId = queue.pop(); customUserId !== undefined; customUserId = queue.pop()) {
      const to = encodeURIComponent(`${customUserId}@people.example`);
      const { body } = await client.sandbox<{ count: number }>(
        'GET',
        `/api/messages?campaignId=${campaignId}&to=${to}&limit=1`,
      );
      mails.set(customUserId, body.count);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return mails;
}
