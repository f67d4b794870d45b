import type { Page } from 'playwright-core';
import { LONG } from './long-answers.ts';

const { id, refusedId, customUserId, heldUserId, slug, messageId, email, customName, url } = LONG;
const open = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

export type Screen = {
  readonly path: string;
  /** Shows that all is there. */
  readonly text: string | RegExp;
  /** Done when it is. */
  readonly act?: (page: Page) => Promise<void>;
  /** What it then shows. */
  readonly shows?: string | RegExp;
};

async function tryOut(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Recipients' }).fill('ada');
  await page.getByLabel('Purpose').selectOption('transactional');
  await page.getByLabel('Subject').fill('Hello');
  await page.getByLabel('HTML or text').fill('Hello');
  await page.getByRole('button', { name: 'Dry run' }).click();
}

/** Every list of the dashboard, as its longest answers fill it. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  overview: { path: '/', text: 'Needs attention' },
  campaigns: { path: '/campaigns', text: /^Donaudampf/ },
  'a report': { path: `/campaigns/${id}`, text: 'Origin' },
  'the recipients of a campaign': { path: `/campaigns/${id}?tab=recipients`, text: customUserId },
  'one recipient': {
    path: `/campaigns/${id}?tab=recipients`,
    text: customUserId,
    act: open(customUserId),
    shows: 'Delivery id',
  },
  'the message of a campaign': { path: `/campaigns/${id}?tab=message`, text: 'As on the device' },
  'the event log of a campaign': { path: `/campaigns/${id}?tab=log`, text: 'user.unsubscribed' },
  'the webhooks of a campaign': { path: `/campaigns/${id}?tab=webhooks`, text: 'campaign.queued' },
  'a dry run': { path: '/compose', text: 'Recipients', act: tryOut, shows: heldUserId },
  'the ingest log': { path: '/ingest', text: /at \/$/ },
  'an accepted request': { path: `/ingest/${id}`, text: messageId },
  'a message': {
    path: `/ingest/${id}?message=0`,
    text: messageId,
    shows: 'The first one with this id:',
  },
  'a refused request': { path: `/ingest/${refusedId}`, text: 'Refused with 400' },
  users: { path: '/users', text: customUserId },
  'a user': { path: `/users/${customUserId}`, text: 'isMember' },
  'the events of a user': { path: `/users/${customUserId}?tab=events`, text: customName },
  'the timeline of a user': {
    path: `/users/${customUserId}?tab=timeline`,
    text: 'Profile changed',
  },
  'the held events of a stranger': { path: `/users/${heldUserId}`, text: customName },
  'event definitions': { path: '/events', text: customName },
  'latest events': { path: '/events?tab=stream', text: customName },
  revenue: { path: '/events?tab=revenue', text: 'JPY' },
  'an event definition': { path: `/events/${slug}`, text: 'Samples' },
  channels: { path: '/channels', text: 'On-site' },
  'a channel': { path: '/channels/EMAIL', text: 'Settings and test' },
  settings: { path: '/settings', text: 'Sending, devices and data' },
  keys: { path: '/settings/keys', text: 'sk_0123456…' },
  'administrator tokens': { path: '/settings/tokens', text: 'at_0123456…' },
  members: { path: '/settings/members', text: 'eve@shop.example' },
  'refused addresses': { path: '/settings/allow-list', text: 'Recently refused' },
  'webhook endpoints': { path: '/settings/webhooks', text: url },
  'a webhook endpoint': { path: `/settings/webhooks/${id}`, text: 'user.unsubscribed' },
  'one webhook': {
    path: `/settings/webhooks/${id}`,
    text: 'user.unsubscribed',
    act: open('user.unsubscribed'),
    shows: /^Last answer: /,
  },
  'dead letters': { path: '/settings/dead-letters', text: /^ingest\/63@/ },
  'a dead letter': {
    path: '/settings/dead-letters',
    text: /^ingest\/63@/,
    act: open(/^ingest\/63@/),
    shows: /^\{"messages"/,
  },
  suppressions: { path: '/settings/suppressions', text: email },
  'the audit log': { path: '/settings/audit', text: 'DELETE users/:customUserId' },
  'an address without a page': {
    path: '/nowhere/at/all',
    text: 'There is no page at this address',
  },
};

export async function showScreen(page: Page, { text, act, shows }: Screen): Promise<void> {
  await page.getByText(text).first().waitFor();
  await act?.(page);
  if (shows !== undefined) await page.getByText(shows).first().waitFor();
}

/**
 * What is not seen where it stands: the page itself, tables and dialogs that go on sideways, texts that leave what they
 * are in, those cut off of which nothing says the whole, and cells too narrow to read. It waits for two frames, since
 * tables choose their columns by the width that they get.
 */
export const findLayoutFaults = (page: Page) =>
  page.evaluate<readonly string[]>(
    `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => ${FIND_LAYOUT_FAULTS})`,
  );

/** Of an index, a count or a slug; and of what names a row. */
const CELL_PX_MIN = 40;
const NAME_PX_MIN = 100;

const FIND_LAYOUT_FAULTS = `(() => {
  const isShown = (element) => element.checkVisibility() && element.closest('.hidden-visually, .skip, select, .code, iframe') === null;
  const short = (element) => element.tagName + ' ' + element.className + ': ' + element.textContent.slice(0, 40);
  const sideways = [document.documentElement, ...document.querySelectorAll('.table-box, dialog')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => 'goes on sideways: ' + (each.ariaLabel ?? each.tagName));
  const texts = [...document.querySelectorAll('main *, dialog *')].filter((each) => isShown(each) && [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''));
  const leaving = texts.filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const around = each.closest('td, th, .button, .badge, .card, dialog, main').getBoundingClientRect();
    return range.getBoundingClientRect().right > Math.min(around.right, innerWidth) + 1 && each.closest('.clamp') === null;
  });
  const cut = [...document.querySelectorAll('main .clamp, dialog .clamp')].filter((each) => isShown(each) && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 2));
  const silent = cut.filter((each) => each.title !== each.textContent || each.closest('a, button, [tabindex="0"]') === null);
  const cells = [...document.querySelectorAll('.table-box td, .table-box th')].filter((each) => isShown(each) && each.textContent.trim() !== '');
  const narrow = cells.filter((each) => each.clientWidth < (each.querySelector('a.wrap, a.clamp, .button.wrap') === null ? ${CELL_PX_MIN} : ${NAME_PX_MIN}));
  return [...narrow.map((each) => 'has ' + each.clientWidth + ' px: ' + short(each)), ...sideways, ...leaving.map((each) => 'leaves its place: ' + short(each)), ...silent.map((each) => 'is cut off: ' + short(each))];
})()`;
