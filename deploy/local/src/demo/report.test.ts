import { expect, test } from '@jest/globals';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { palette } from '../../progress.mjs';
import { campaignReport, channelTable } from './report.ts';

const plain = palette(process.stdout, { NO_COLOR: '1' });
const counts = {
  total: 4,
  pending: 0,
  waiting: 0,
  sent: 3,
  delivered: 0,
  displayed: 0,
  opened: 0,
  clicked: 0,
};
const rest = {
  successful: 3,
  failed: 1,
  unknown: 0,
  expired: 0,
  canceled: 0,
  unsubscribed: 0,
  complained: 0,
  machineOpened: 0,
  machineClicked: 0,
};

test('the report adds up and has a line per recipient with its reason', () => {
  const campaign = {
    campaignId: 'c1',
    status: 'completed',
    counts: { ...counts, ...rest },
    timing: { durationMs: 10_400 },
  } as CampaignRecord;

  const report = campaignReport(
    campaign,
    [
      { customUserId: 'ada-1', status: 'sent', reason: null },
      { customUserId: 'unknown-1', status: 'failed', reason: 'unknown_user' },
    ],
    plain,
  );

  expect(report).toContain('Campaign c1  completed in 10.4 s');
  expect(report).toContain('3 successful + 1 failed = 4 recipients');
  expect(report).toMatch(/^ {4}ada-1 {6}sent$/m);
  expect(report).toMatch(/^ {4}unknown-1 {2}failed {5}unknown_user {2}no user has this id/m);
});

test('the table has a line per channel, with the numbers in columns', () => {
  const shown = { ...counts, ...rest, total: 3, delivered: 3, displayed: 3, failed: 0 };

  const [, , head = '', ...lines] = channelTable(
    [
      { channel: 'EMAIL', counts: { ...counts, ...rest }, arrived: 3 },
      { channel: 'ON_SITE', counts: shown, arrived: 3 },
    ],
    'http://sandbox',
    plain,
  ).split('\n');

  expect(lines.map((line) => line.trim().split(/ +/))).toEqual([
    ['EMAIL', '4', '3', '3', '0', '0', '0', '0', 'http://sandbox/?channel=EMAIL'],
    ['ON_SITE', '3', '3', '3', '3', '3', '0', '0', 'http://sandbox/?channel=ON_SITE'],
  ]);
  for (const line of lines) expect(line.indexOf('http')).toBe(head.lastIndexOf('messages'));
});
