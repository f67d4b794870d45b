import { expect, test } from '@jest/globals';
import type { ChannelState, ListedChannel } from '@tidings/web/src/api/types.ts';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { failingHealth, IDLE_HEALTH } from './support/channel-health.ts';
import { overviewWith } from './support/overviews.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
/** In Berlin, where the viewer is, the minutes are the same. */
const SINCE = new Date().setUTCHours(12, 2, 0, 0);
const listed = (
  channel: ListedChannel['channel'],
  health: ListedChannel['health'],
): ListedChannel => ({ channel, status: 'ready', testedAt: 0, health });
const overview = {
  json: overviewWith({
    channels: [
      listed('WEB_HOOK', failingHealth(SINCE)),
      listed('EMAIL', {
        ...IDLE_HEALTH,
        state: 'degraded',
        attempts: 1_107,
        failed: 130,
        unknown: 3,
      }),
      listed('SMS', { ...IDLE_HEALTH, state: 'sending', attempts: 311, failed: 2 }),
      listed('IN_APP', IDLE_HEALTH),
    ],
  }),
};
/** With its date if it is another day. */
const LINE = /^Failing since (.+ )?1[34]:02: 100 % of 2,262, provider unavailable$/;

test('the overview says since when a channel fails and of how many; what works is grey', async () => {
  await using opened = await visit({
    'GET overview': overview,
    'GET campaigns': { json: { items: [], nextCursor: null } },
  });
  await opened.open('/');
  await opened.page.getByText('Failing since').waitFor();

  const badges = opened.page.locator('.badge');
  expect(
    await badges.evaluateAll((all) => all.map((each) => [each.textContent, each.className])),
  ).toEqual([
    ['Failing', 'badge bad'],
    ['12 % failed', 'badge warn'],
    ['Sending', 'badge quiet'],
    ['Ready', 'badge quiet'],
  ]);
  expect(await opened.page.getByText('Failing since').innerText()).toMatch(LINE);
});

test('so do the channels and the page of one, with the reason and what to do', async () => {
  const state: ChannelState = {
    channel: 'WEB_HOOK',
    status: 'ready',
    testedAt: 0,
    health: failingHealth(SINCE),
    settings: {},
  };
  await using opened = await visit({
    'GET overview': overview,
    'GET channels/WEB_HOOK': { json: state },
  });
  const { page } = opened;
  await opened.open('/channels');
  await page.getByText('Failing since').waitFor();
  expect(await page.getByText('Failing since').innerText()).toMatch(LINE);

  await opened.open('/channels/WEB_HOOK');
  const notice = page.locator('.callout', { hasText: 'Failing since' });
  await notice.waitFor();

  expect(await notice.getByText('100 % of 2,262 attempts.').count()).toBe(1);
  expect(await notice.getByText('Most frequent reason: provider unavailable.').count()).toBe(1);
  expect(await page.locator('.badge').first().textContent()).toBe('Failing');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
