import { REHEARSAL } from './rehearsals.ts';
import type { Page } from 'playwright-core';
import { listPeople, previewFor } from './composing.ts';
import { ACCOUNT_NAMES, LONG } from './long-answers/values.ts';
import { choose } from './pickers.ts';

const { id, refusedId, customUserId, heldUserId, slug, messageId, email, customName, url } = LONG;
const open = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

export type Screen = {
  readonly path: string;
  /** Appears once the screen has loaded. */
  readonly text: string | RegExp;
  /** An action after loading. */
  readonly act?: (page: Page) => Promise<void>;
  /** Appears after the action. */
  readonly shows?: string | RegExp;
};

async function checkAudience(page: Page): Promise<void> {
  await listPeople(page, 'ada');
  await choose(page, 'Purpose', 'Transactional');
  await page.getByLabel('Subject').fill('Hello');
  await page.getByLabel('HTML or text').fill('Hello');
  await page.getByRole('button', { name: 'Check audience' }).click();
}

/** Every list of the dashboard, filled with the longest possible values. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  overview: { path: '/', text: 'Needs attention' },
  campaigns: { path: '/campaigns', text: /^Donaudampf/ },
  drafts: { path: '/campaigns?status=draft', text: /^Donaudampf/ },
  'a draft': { path: `/compose?draft=${id}`, text: 'Delete draft' },
  'a report': { path: `/campaigns/${id}`, text: 'Origin' },
  'a scheduled campaign': { path: `/campaigns/${LONG.scheduledId}`, text: 'First people in' },
  'the recipients of a campaign': { path: `/campaigns/${id}?tab=recipients`, text: customUserId },
  'one recipient': {
    path: `/campaigns/${id}?tab=recipients`,
    text: customUserId,
    act: open(customUserId),
    shows: 'Delivery ID',
  },
  'the message of a campaign': {
    path: `/campaigns/${id}?tab=message`,
    text: 'Preview',
    act: (page) => previewFor(page, customUserId),
    shows: 'Show it as written',
  },
  'the templates of a campaign': {
    path: `/campaigns/${id}`,
    text: 'Certainty 99.9 %.',
  },
  'the event log of a campaign': { path: `/campaigns/${id}?tab=log`, text: 'user.unsubscribed' },
  'the webhooks of a campaign': { path: `/campaigns/${id}?tab=webhooks`, text: 'campaign.queued' },
  'an audience check': {
    path: '/compose',
    text: 'Listed people',
    act: checkAudience,
    shows: heldUserId,
  },
  'the ingest log': { path: '/ingest', text: /at \/$/ },
  'an accepted request': { path: `/ingest/${id}`, text: messageId },
  'a message': {
    path: `/ingest/${id}?message=0`,
    text: messageId,
    shows: 'First message with this ID:',
  },
  'a rejected request': { path: `/ingest/${refusedId}`, text: 'Rejected with 400' },
  users: { path: '/users', text: customUserId },
  'a user': { path: `/users/${customUserId}`, text: 'isMember' },
  'the events of a user': { path: `/users/${customUserId}?tab=events`, text: customName },
  'the timeline of a user': {
    path: `/users/${customUserId}?tab=timeline`,
    text: 'Profile changed',
  },
  'the segments of a user': { path: `/users/${customUserId}?tab=segments`, text: 'Base' },
  'the automations of a user': {
    path: `/users/${customUserId}?tab=automations&why=${LONG.automationSlug}`,
    text: 'Did not enter',
  },
  'the held events of an unregistered user': { path: `/users/${heldUserId}`, text: customName },
  segments: { path: '/segments', text: /^Donaudampf/ },
  'a segment': {
    path: `/segments/${LONG.segmentSlug}`,
    text: /^≈ 1,234,567 users/,
    act: async (page) => {
      await page.getByRole('button', { name: 'Count whom each channel reaches' }).click();
      await page.getByLabel('User ID').fill(customUserId);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('is not a member.').waitFor();
    },
    shows: /^Exactly$/,
  },
  'the members of a segment': {
    path: `/segments/${LONG.segmentSlug}?tab=members`,
    text: customUserId,
  },
  'the versions of a segment': {
    path: `/segments/${LONG.segmentSlug}?tab=versions`,
    text: '12,345',
  },
  'a message to a segment': {
    path: `/compose?segment=${LONG.segmentSlug}`,
    text: 'Skip people who left meanwhile',
  },
  'a new segment': { path: '/new-segment', text: 'Fill in all conditions' },
  automations: { path: '/automations', text: /^Donaudampf/ },
  'the steps of an automation': {
    path: `/automations/${LONG.automationSlug}`,
    text: 'Split 50 / 50',
  },
  'what starts an automation': {
    path: `/automations/${LONG.automationSlug}?step=frame`,
    text: 'Leaves early at',
  },
  'a message of an automation': {
    path: `/automations/${LONG.automationSlug}?step=mail1`,
    text: 'Remove step',
  },
  'a rehearsal of an automation': {
    path: `/automations/${LONG.automationSlug}?tab=rehearsal&rehearsal=${REHEARSAL.rehearsalId}`,
    text: 'Did not enter',
  },
  'the people in an automation': {
    path: `/automations/${LONG.automationSlug}?tab=people`,
    text: customUserId,
    act: open(customUserId),
    shows: 'Try again',
  },
  'why a person is in an automation': {
    path: `/automations/${LONG.automationSlug}?tab=why&user=${customUserId}`,
    text: 'Every time they were in it',
  },
  'the versions of an automation': {
    path: `/automations/${LONG.automationSlug}?tab=versions`,
    text: 'Split 50 / 50',
  },
  templates: { path: '/templates', text: /^Donaudampf/ },
  'a template': {
    path: `/templates/${LONG.templateSlug}`,
    text: 'Has a default',
    act: (page) => previewFor(page, customUserId),
    shows: 'No attempt is made.',
  },
  'the versions of a template': {
    path: `/templates/${LONG.templateSlug}?tab=versions`,
    text: 'Version 12,345',
  },
  'a version of a template': {
    path: `/templates/${LONG.templateSlug}?tab=versions`,
    text: 'Version 12,345',
    act: open('Version 12,345'),
    shows: 'Send this version',
  },
  blocks: { path: '/templates?show=blocks', text: '2 templates' },
  'a block': {
    path: `/templates/blocks/${LONG.templateSlug}`,
    text: 'Changes 2 templates as well',
  },
  'a block that is used': {
    path: `/templates/blocks/${LONG.templateSlug}`,
    text: 'Changes 2 templates as well',
    act: open('Delete'),
    shows: 'Take it out of these first',
  },
  'the versions of a block': {
    path: `/templates/blocks/${LONG.templateSlug}?tab=versions`,
    text: '12,345',
  },
  'a new block': { path: '/new-block', text: 'Required: a name' },
  'a new template': { path: '/new-template', text: 'Create template' },
  'a campaign with templates': {
    path: `/compose?template=${LONG.templateSlug}@12345`,
    text: 'Preview of',
    act: open('Compare with another template'),
    shows: 'Share 2',
  },
  trends: { path: '/trends', text: 'not over yet' },
  'trends by groups': {
    path: '/trends?by=%7B%22field%22%3A%22city%22%7D&show=table',
    text: '15 others',
  },
  retention: { path: '/retention', text: 'How many come back' },
  funnels: { path: '/funnels', text: /^Donaudampf/ },
  'a funnel': {
    path: `/funnels/${LONG.segmentSlug}?by={"attribute":"plan"}`,
    text: '99,990 others',
    // Its menu shows under the pointer.
    act: async (page) => {
      await page.getByRole('group', { name: 'Step 1' }).hover();
      await page.getByRole('button', { name: 'Actions of step 1' }).click();
    },
    shows: 'Remove step',
  },
  'the versions of a funnel': {
    path: `/funnels/${LONG.segmentSlug}`,
    text: 'Exact, as of',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Versions…' }).click();
    },
    shows: 'Version 12,345',
  },
  'a person in a funnel': {
    path: `/funnels/${LONG.segmentSlug}?people={"state":"dropped","step":1,"person":"ada"}`,
    text: 'too late',
  },
  'a new funnel': { path: '/new-funnel', text: 'What do people do first' },
  'event definitions': { path: '/events', text: customName },
  'latest events': { path: '/events?tab=stream', text: customName },
  revenue: { path: '/events?tab=revenue', text: 'JPY' },
  'an event definition': { path: `/events/${slug}`, text: 'Samples' },
  channels: { path: '/channels', text: 'On-site' },
  'a channel': { path: '/channels/EMAIL', text: 'Settings and test' },
  'the accounts of a channel': {
    path: '/channels/SMS',
    text: ACCOUNT_NAMES[0],
    act: open(ACCOUNT_NAMES[1]),
    shows: 'Remove account',
  },
  settings: { path: '/settings', text: 'Sending, devices and data' },
  keys: { path: '/settings/keys', text: 'sk_0123456…' },
  'administrator tokens': { path: '/settings/tokens', text: 'at_0123456…' },
  members: { path: '/settings/members', text: 'eve@shop.example' },
  'rejected addresses': { path: '/settings/allow-list', text: 'Recently rejected' },
  'webhook endpoints': { path: '/settings/webhooks', text: url },
  'a webhook endpoint': { path: `/settings/webhooks/${id}`, text: 'campaign.queued' },
  'one webhook': {
    path: `/settings/webhooks/${id}`,
    text: 'campaign.queued',
    act: open('campaign.queued'),
    shows: /^Last response: /,
  },
  'dead letters': { path: '/settings/dead-letters', text: /^ingest\/63@/ },
  'a dead letter': {
    path: '/settings/dead-letters',
    text: /^ingest\/63@/,
    act: open(/^ingest\/63@/),
    shows: /^\{"messages"/,
  },
  suppressions: { path: '/settings/suppressions', text: email },
  'the audit log': { path: '/settings/audit', text: '2001:db8:ffff' },
  'an unknown page': {
    path: '/nowhere/at/all',
    text: 'This page does not exist',
  },
};

export async function showScreen(page: Page, { text, act, shows }: Screen): Promise<void> {
  await page.getByText(text).first().waitFor();
  await act?.(page);
  if (shows !== undefined) await page.getByText(shows).first().waitFor();
}

/**
 * Finds layout faults: a page, table or dialog that scrolls sideways; text that overflows its container, but for the
 * cells of rows of one line, which cut it and open its page; clamped text without a tooltip or focus; and cells too
 * narrow to read. Waits for two frames, since tables choose their columns by
 * their measured width.
 */
export const findLayoutFaults = (page: Page) =>
  page.evaluate<readonly string[]>(
    `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => ${FIND_LAYOUT_FAULTS})`,
  );

/** The minimum width of a cell, and of a cell that names its row. */
const CELL_PX_MIN = 60;
const NAME_PX_MIN = 100;

const FIND_LAYOUT_FAULTS = `(() => {
  const isShown = (element) => element.checkVisibility() && element.closest('.hidden-visually, .skip, .picker-button, .code, iframe') === null;
  const short = (element) => element.tagName + ' ' + element.className + ': ' + element.textContent.slice(0, 40);
  const sideways = [document.documentElement, ...document.querySelectorAll('.table-box, dialog')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => 'scrolls sideways: ' + (each.ariaLabel ?? each.tagName));
  const texts = [...document.querySelectorAll('main *, dialog *')].filter((each) => isShown(each) && [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''));
  const isCutByRow = (each) => {
    const cell = each.closest('.lined tr.clickable td');
    return cell !== null && getComputedStyle(cell).overflowX === 'hidden';
  };
  const leaving = texts.filter((each) => !isCutByRow(each)).filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const around = each.closest('td, th, .button, .badge, .card, dialog, main').getBoundingClientRect();
    // A table of cohorts scrolls by itself.
    const edge = each.closest('.cohorts-box') === null ? innerWidth : Infinity;
    return range.getBoundingClientRect().right > Math.min(around.right, edge) + 1 && each.closest('.clamp') === null;
  });
  const cut = [...document.querySelectorAll('main .clamp, dialog .clamp')].filter((each) => isShown(each) && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 2));
  const silent = cut.filter((each) => each.title !== each.textContent || each.closest('a, button, [tabindex="0"]') === null);
  const cells = [...document.querySelectorAll('.table-box td, .table-box th')].filter((each) => isShown(each) && each.textContent.trim() !== '');
  const narrow = cells.filter((each) => each.clientWidth < (each.querySelector('a.wrap, a.clamp, .button.wrap') === null ? ${CELL_PX_MIN} : ${NAME_PX_MIN}));
  return [...narrow.map((each) => 'has ' + each.clientWidth + ' px: ' + short(each)), ...sideways, ...leaving.map((each) => 'overflows: ' + short(each)), ...silent.map((each) => 'is cut off: ' + short(each))];
})()`;
