import {
  CHANNEL_DESCRIPTORS,
  CHANNELS,
  type Channel,
} from '@tidings/contracts/channels/descriptors';
import { hasSeveralProviders, providerOf } from '@tidings/contracts/channels/provider';
import { RETRY_POLICIES } from '@tidings/channel-worker';
import { asTable } from '@tidings/tools/as-table';
import type { Effect, ProviderError } from './provider-error.ts';

const CLASSES: Readonly<Record<Effect['status'], string>> = {
  sent: 'accepted',
  permanent: 'permanent',
  invalid_address: 'invalid address',
  transient: 'transient',
  rate_limited: 'rate limited',
  configuration: 'configuration',
  unknown: 'outcome unknown',
  not_sent: 'not sent',
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export type TableRow = Pick<ProviderError, 'channel' | 'provider' | 'signal' | 'effect'>;

/** Table cells of an error: its class, the recipient's reason, and the action. */
function listCells({
  signal,
  effect,
}: TableRow): readonly [signal: string, kind: string, reason: string, what: string] {
  return [signal, CLASSES[effect.status], effect.reason ?? '', effectText(effect)];
}

function effectText({
  delivery,
  waitSeconds,
  inTheEnd,
  address,
  isChannelPaused,
  status,
}: Effect): string {
  const what =
    delivery === 'retry_wait'
      ? `retried after ${waitSeconds === undefined ? 'a while' : spanText(waitSeconds)}${inTheEnd === 'failed' ? '' : ', until the campaign expires'}`
      : status === 'sent' || (status === 'unknown' && delivery !== 'unknown')
        ? `the callback makes it ${delivery}`
        : delivery === 'unknown'
          ? 'never sent again; callbacks, reports and polling may resolve it'
          : 'failed, not retried';
  const ofAddress = {
    kept: '',
    removed: ', the subscription or token is removed',
    suppressed: ', the address is suppressed',
  }[address];
  return `${what}${ofAddress}${isChannelPaused ? ', the channel is paused' : ''}`;
}

const spanText = ([from, to]: readonly [number, number]): string =>
  from === to ? `${from} s` : `${from} to ${Math.round(to)} s`;

/** The table for a terminal. */
export function asText(rows: readonly TableRow[]): string {
  return asTable(rows.map((row) => [titleOf(row), ...listCells(row)]));
}

/** The table for a document, with a section per channel and provider. */
export function asMarkdown(rows: readonly TableRow[]): string {
  const escaped = (text: string): string => text.replaceAll('|', '\\|');
  const sections = CHANNELS.flatMap((channel) =>
    Object.entries(
      Object.groupBy(
        rows.filter((row) => row.channel === channel),
        titleOf,
      ),
    ).map(([title, found = []]) => ({ channel, title, found })),
  );
  return sections
    .map(({ channel, title, found }) =>
      [
        `### ${title}`,
        '',
        describeSchedule(channel),
        '',
        '| provider response | class | reason | effect |',
        '| --- | --- | --- | --- |',
        ...found.map((row) => `| ${listCells(row).map(escaped).join(' | ')} |`),
      ].join('\n'),
    )
    .join('\n\n');
}

/** The channel; with several providers, its provider too. */
function titleOf({ channel, provider }: TableRow): string {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const { label } = providerOf(providers, { provider }) ?? {};
  return hasSeveralProviders(providers) ? `${channel}: ${label}` : channel;
}

function describeSchedule(channel: Channel): string {
  const { baseMs, capMs, attemptsMin, ageMinMs } = RETRY_POLICIES[channel];
  const length = (ms: number): string =>
    ms >= HOUR_MS
      ? `${ms / HOUR_MS} h`
      : ms >= MINUTE_MS
        ? `${ms / MINUTE_MS} min`
        : `${ms / 1_000} s`;
  return `A transient error is retried after up to ${length(baseMs)}, then up to twice as long each time, at most ${length(capMs)}. The delivery fails after ${attemptsMin} attempts and ${length(ageMinMs)}, or when the campaign expires.`;
}
