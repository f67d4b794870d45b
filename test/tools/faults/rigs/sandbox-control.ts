import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '@tidings/local';
import { SENT_CHANNELS, type SentChannel } from './delivery-proxies.ts';

/** A message that a provider has accepted. */
export type AcceptedMessage = {
  readonly channel: SentChannel;
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  /** Of a hook: the id by which its receiver knows a repeat. */
  readonly hookId: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
};

export type SandboxFault = {
  readonly channel: SentChannel;
  readonly kind: string;
  readonly rate: number;
} & Readonly<Record<string, string | number>>;

/** The stand-in providers: how they behave, and what they accepted. */
export type SandboxControl = {
  /** No fault but that everything takes a moment, as it does with any provider. */
  calm(): Promise<void>;
  /** Has a provider misbehave; resolves with how to ask later how often that was felt. */
  disturb(fault: SandboxFault): Promise<() => Promise<number>>;
  /** These faults and no others, felt in this order; resolves as `disturb` does, for each. */
  behave(faults: readonly SandboxFault[]): Promise<readonly (() => Promise<number>)[]>;
  forget(): Promise<void>;
  /** What was accepted since it was told to forget: as it is on its disk, where everything is before it is accepted. */
  accepted(): readonly AcceptedMessage[];
};

const USUAL_DELAY_MS = 25;
const JOURNAL = /^messages-\d+\.jsonl$/;

export function createSandboxControl(url: string, dataDir: string): SandboxControl {
  const sandbox = { baseUrl: url, headers: {} };
  const addFault = (fault: SandboxFault): Promise<{ readonly id: string }> =>
    callApi(sandbox, { method: 'POST', path: '/api/faults', body: fault });
  const clear = (): Promise<void> => callApi(sandbox, { method: 'DELETE', path: '/api/faults' });
  const disturb = async (fault: SandboxFault): Promise<() => Promise<number>> => {
    const { id } = await addFault(fault);
    return async () => {
      const { faults } = await callApi<{
        readonly faults: readonly { readonly id: string; readonly struck: number }[];
      }>(sandbox, { path: '/api/faults' });
      return faults.find((one) => one.id === id)?.struck ?? 0;
    };
  };
  return {
    async calm() {
      await clear();
      for (const channel of SENT_CHANNELS)
        await addFault({ channel, kind: 'delay', rate: 1, delayMs: USUAL_DELAY_MS });
    },
    disturb,
    async behave(faults) {
      await clear();
      const struck: (() => Promise<number>)[] = [];
      // One after another: the first that strikes is felt.
      for (const fault of faults) struck.push(await disturb(fault));
      return struck;
    },
    forget: () => callApi(sandbox, { method: 'DELETE', path: '/api/messages' }),
    accepted: () =>
      readdirSync(dataDir)
        .filter((name) => JOURNAL.test(name))
        .flatMap((name) => Array.from(linesOf(readFileSync(join(dataDir, name))), readLine)),
  };
}

const NEWLINE = 0x0a;

/** One by one: the files of a large campaign are longer than a string can be. */
function* linesOf(file: Buffer): Iterable<string> {
  let start = 0;
  for (let end = file.indexOf(NEWLINE); end >= 0; end = file.indexOf(NEWLINE, start)) {
    yield file.toString('utf8', start, end);
    start = end + 1;
  }
}

type Line = Omit<AcceptedMessage, 'hookId'> & {
  readonly data: { readonly headers?: Readonly<Record<string, string>> };
};

function readLine(line: string): AcceptedMessage {
  const { channel, to, campaignId, deliveryId, receivedAt, data } = JSON.parse(line) as Line;
  return {
    channel,
    to,
    campaignId,
    deliveryId,
    receivedAt,
    hookId: channel === 'WEB_HOOK' ? (data.headers?.['webhook-id'] ?? null) : null,
  };
}
