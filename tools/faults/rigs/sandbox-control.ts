import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '@tidings/local';
import type { ArrivedText } from '../oracles/rolling/arrived-text.ts';
import { SENT_CHANNELS, type SentChannel } from './delivery-proxies.ts';

/** A message accepted by a provider. */
export type AcceptedMessage = {
  readonly channel: SentChannel;
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  /** For hooks: the id by which a receiver detects repeats. */
  readonly hookId: string | null;
  /** What tells the accounts of a channel apart: an SMS's sender, the login of an e-mail. */
  readonly account: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
};

export type SandboxFault = {
  readonly channel: SentChannel;
  readonly kind: string;
  readonly rate: number;
} & Readonly<Record<string, string | number>>;

/** Controls the stand-in providers and reads their accepted messages. */
export type SandboxControl = {
  /** Removes all faults except a small delay, as real providers have. */
  calm(): Promise<void>;
  /** Adds a fault; resolves with a function that returns how often it was applied. */
  disturb(fault: SandboxFault): Promise<() => Promise<number>>;
  /** Sets exactly these faults, in this order; resolves like `disturb`, for each. */
  behave(faults: readonly SandboxFault[]): Promise<readonly (() => Promise<number>)[]>;
  forget(): Promise<void>;
  /**
   * Messages accepted since the last reset, read from disk, where each is written before it is
   * accepted.
   */
  accepted(): readonly AcceptedMessage[];
  /** The texts of the messages of these campaigns, from the same files. */
  texts(campaignIds: ReadonlySet<string>): readonly ArrivedText[];
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
  const journals = (): readonly Buffer[] =>
    readdirSync(dataDir)
      .filter((name) => JOURNAL.test(name))
      .map((name) => readFileSync(join(dataDir, name)));
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
      // In order: the first fault that applies wins.
      for (const fault of faults) struck.push(await disturb(fault));
      return struck;
    },
    forget: () => callApi(sandbox, { method: 'DELETE', path: '/api/messages' }),
    accepted: () => journals().flatMap((file) => Array.from(linesOf(file), readLine)),
    texts: (campaignIds) =>
      journals().flatMap((file) =>
        Array.from(linesOf(file), (line) => JSON.parse(line) as Line).flatMap(
          ({ campaignId, deliveryId, body, receivedAt }) =>
            deliveryId !== null && campaignIds.has(campaignId ?? '')
              ? [{ deliveryId, body, receivedAt }]
              : [],
        ),
      ),
  };
}

const NEWLINE = 0x0a;

/** Line by line: the file of a large campaign exceeds the maximum string length. */
function* linesOf(file: Buffer): Iterable<string> {
  let start = 0;
  for (let end = file.indexOf(NEWLINE); end >= 0; end = file.indexOf(NEWLINE, start)) {
    yield file.toString('utf8', start, end);
    start = end + 1;
  }
}

type Line = Omit<AcceptedMessage, 'hookId' | 'account'> & {
  readonly body: string;
  readonly data: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly from?: string;
    readonly login?: string | null;
  };
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
    account: (channel === 'SMS' ? data.from : data.login) ?? null,
  };
}
