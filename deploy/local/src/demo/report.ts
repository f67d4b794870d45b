import type { CampaignCounts, CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { Paint, Palette } from '../../progress.mjs';
import type { LocalFile } from '../local-file.ts';

export type DeliveryLine = {
  readonly customUserId: string;
  readonly status: string;
  readonly reason?: string | null;
};

const BAR_CELLS = 24;

/** Explanations of the outcome reasons that occur in the demonstration. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  unknown_user: 'no user has this id; it was retried for 10 s',
  no_address: 'the profile has no e-mail address',
  channel_not_configured: 'EMAIL has no settings, or its test send never succeeded',
};

/** The campaign report for a terminal: counts, then a line per recipient with state and reason. */
export function campaignReport(
  campaign: CampaignRecord,
  deliveries: readonly DeliveryLine[],
  colour: Palette,
): string {
  const { counts, timing } = campaign;
  const width = Math.max(...deliveries.map(({ customUserId }) => customUserId.length), 0);
  return [
    '',
    `  ${colour.bold('Campaign')} ${campaign.campaignId}  ${campaign.status}${timing.durationMs === null ? '' : ` in ${(timing.durationMs / 1000).toFixed(1)} s`}`,
    `  ${bar(counts, colour)}  ${countsLine(counts)}`,
    '',
    ...deliveries.map(({ customUserId, status, reason }) => {
      const explanation = reason ? `  ${reason}  ${colour.dim(EXPLANATIONS[reason] ?? '')}` : '';
      return `    ${customUserId.padEnd(width)}  ${choosePaint(status, colour)(status.padEnd(9))}${explanation}`.trimEnd();
    }),
  ].join('\n');
}

const TABLE_COUNTS = ['successful', 'delivered', 'displayed', 'opened', 'clicked'] as const;

/**
 * A line per channel: messages that reached the sandbox, outcomes by the report, and the page with
 * details.
 */
export function channelTable(
  campaigns: readonly (Pick<CampaignRecord, 'channel' | 'counts'> & { readonly arrived: number })[],
  sandboxUrl: string,
  colour: Palette,
): string {
  const heads = ['recipients', 'arrived', ...TABLE_COUNTS];
  const rows = campaigns.map(({ channel, counts, arrived }) => {
    const numbers = [counts.total, arrived, ...TABLE_COUNTS.map((name) => counts[name])].map(
      (number, at) => String(number).padStart(heads[at]?.length ?? 0),
    );
    return `    ${channel.padEnd(8)}  ${numbers.join('  ')}  ${colour.dim(`${sandboxUrl}/?channel=${channel}`)}`;
  });
  return [
    '',
    `  ${colour.bold('Channels')}`,
    `    ${colour.dim(['channel ', ...heads, 'messages'].join('  '))}`,
    ...rows,
  ].join('\n');
}

/** All non-zero counts and their total. */
export function countsLine(counts: CampaignCounts): string {
  const names = [
    'successful',
    'failed',
    'unknown',
    'expired',
    'canceled',
    'pending',
    'waiting',
  ] as const;
  const parts = names.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
  return `${parts.join(' + ') || '0'} = ${counts.total} recipients`;
}

function bar(counts: CampaignCounts, colour: Palette): string {
  // Differ in shape too, for readers who do not see colours.
  const cells = (shape: string, count: number): string =>
    shape.repeat(counts.total === 0 ? 0 : Math.round((count / counts.total) * BAR_CELLS));
  const others = counts.total - counts.successful - counts.failed - counts.unknown;
  return (
    colour.green(cells('█', counts.successful)) +
    colour.red(cells('▒', counts.failed)) +
    colour.yellow(cells('░', counts.unknown)) +
    colour.dim(cells('·', others))
  );
}

function choosePaint(status: string, colour: Palette): Paint {
  if (['sent', 'delivered', 'displayed', 'opened', 'clicked'].includes(status)) return colour.green;
  return status === 'failed' ? colour.red : colour.yellow;
}

/**
 * Commands and pages for the next steps. The commands read the key from its file, so that it
 * appears in no log.
 */
export function nextSteps(
  local: LocalFile,
  facts: Readonly<
    Record<'campaignId' | 'customUserId' | 'requestId' | 'segment' | 'automation', string>
  >,
  colour: Palette,
): string {
  const curl = (path: string): string =>
    `    curl -H "X-Application-Id: $APP" -H "X-API-Key: $KEY" ${local.baseUrl}${path}`;
  return [
    '',
    `  ${colour.bold('Next steps')}`,
    `    APP=${local.applicationId} KEY=$(node -p "require('./.tidings/local.json').serverKey")`,
    curl(`/api/v1/campaigns/${facts.campaignId}`),
    curl(`/api/v1/campaigns/${facts.campaignId}/events`),
    curl(`/api/v1/users/${facts.customUserId}/events`),
    curl(`/api/v1/ingest/${facts.requestId}`),
    curl(`/api/v1/segments/${facts.segment}/users`),
    curl(`/api/v1/automations/${facts.automation}/users/${facts.customUserId}`),
    `    ${local.sandboxUrl}  ${colour.dim('all messages, as shown on the device')}`,
  ].join('\n');
}
