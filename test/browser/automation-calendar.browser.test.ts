import { expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { eventually } from '@tidings/testing';
import { ACTIVE, AUTOMATION_ANSWERS, keepsDraft, list } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const visitEditor = async (path: string, changes: Partial<AutomationDefinition> = {}) => {
  const draft = { ...ACTIVE.draft, ...changes };
  const visit = await pages.visit({
    role: 'marketer',
    answers: {
      ...AUTOMATION_ANSWERS,
      ...keepsDraft({ ...ACTIVE, draft }),
      'GET segments': list({ slug: 'vip', name: 'VIP', version: 1 }),
    },
  });
  await visit.open(path);
  const last = () =>
    bodies(visit.calls, 'PUT automations/cart').at(-1) as AutomationDefinition | undefined;
  return { visit, page: visit.page, panel: visit.page.getByRole('complementary'), last };
};

test('a schedule is chosen without cron, and with it', async () => {
  const { visit, page, panel, last } = await visitEditor('/automations/cart?step=frame');
  await using _ = visit;
  await choose(panel, 'Starts when', 'the clock says so');
  await choose(panel, 'Who enters then', 'VIP');
  await panel.getByRole('button', { name: 'Fri' }).click();
  await panel.getByLabel('Time', { exact: true }).fill('18:30');
  await choose(panel, 'Time zone', 'Asia/Tokyo');
  await page
    .getByRole('treeitem', { name: /^Every Monday, Friday at 18:30, who is in “VIP”/ })
    .waitFor();
  await expectAccessible(page);
  await eventually(() =>
    expect(last()?.trigger).toEqual({
      schedule: { cron: '30 18 * * 1,5', timeZone: 'Asia/Tokyo' },
      segment: 'vip',
    }),
  );
  // One day stays.
  await panel.getByRole('button', { name: 'Fri' }).click();
  await panel.getByRole('button', { name: 'Mon' }).click();
  await page.getByRole('treeitem', { name: /^Every Monday at 18:30/ }).waitFor();
  await choose(panel, 'How often', 'once a month');
  await panel.getByLabel('Day of the month').fill('15');
  await page.getByRole('treeitem', { name: /^On day 15 of each month at 18:30/ }).waitFor();
  await choose(panel, 'How often', 'by a cron expression');
  await panel.getByRole('textbox', { name: 'Cron expression' }).fill('*/15 9-17 * * 1-5');
  await choose(panel, 'Time zone', 'That of the application');

  await eventually(() =>
    expect(last()?.trigger).toEqual({ schedule: { cron: '*/15 9-17 * * 1-5' }, segment: 'vip' }),
  );
});

test('instants that are too close are said at the field of the cron expression', async () => {
  await using visit = await pages.visit({
    role: 'marketer',
    answers: {
      ...AUTOMATION_ANSWERS,
      'GET segments': list({ slug: 'vip', name: 'VIP', version: 1 }),
      'PUT automations/cart': {
        status: 400,
        json: {
          type: 'about:blank',
          title: 'Not valid',
          status: 400,
          code: 'validation_failed',
          requestId: 'r',
          errors: [
            {
              pointer: '/trigger/schedule/cron',
              code: 'out_of_range',
              expected: 'instants at least 15 minutes apart',
            },
          ],
        },
      },
    },
  });
  await visit.open('/automations/cart?step=frame');
  const panel = visit.page.getByRole('complementary');
  await choose(panel, 'Starts when', 'the clock says so');
  await choose(panel, 'How often', 'by a cron expression');
  const field = panel.getByRole('textbox', { name: 'Cron expression' });
  await field.fill('*/5 9-17 * * 1-5');
  await visit.page.getByText('Not saved: 1 fault to mend first.').waitFor();

  await eventually(async () => expect(await field.getAttribute('aria-invalid')).toBe('true'));
  await expectAccessible(visit.page);
});

test('a date of a person starts it, before or after, also each year', async () => {
  const { visit, page, panel, last } = await visitEditor('/automations/cart?step=frame');
  await using _ = visit;
  await choose(panel, 'Starts when', 'a date of a person comes');
  await panel.getByLabel('Each year').check();
  await page.getByRole('treeitem', { name: /^The birthday at 09:00, each year/ }).waitFor();
  await expectAccessible(page);
  await choose(panel, 'Date', 'the attribute');
  await panel.getByLabel('Attribute with the date').fill('expiresOn');
  await choose(panel, 'When', 'before it');
  await panel.getByLabel('By', { exact: true }).fill('7');
  await panel.getByLabel('At, where the person is').fill('08:15');
  await panel.getByLabel('Each year').uncheck();
  await panel.getByLabel('Late by at most').fill('2');

  await eventually(() =>
    expect(last()?.trigger).toEqual({
      date: { attribute: 'expiresOn' },
      offset: '-7d',
      at: '08:15',
      maxAge: '2d',
    }),
  );
  await page.getByRole('treeitem', { name: /^7 days before “expiresOn” at 08:15/ }).waitFor();
});

test('a run waits until a time of some days, or a date', async () => {
  const { visit, page, panel, last } = await visitEditor('/automations/cart');
  await using _ = visit;
  await page.getByRole('treeitem', { name: 'Add a step after what starts it' }).click();
  await page.getByRole('menuitem', { name: /^Wait until a time/ }).click();
  await panel.getByLabel('Time', { exact: true }).fill('10:00');
  await panel.getByRole('button', { name: 'Sun' }).click();
  await panel.getByRole('button', { name: 'Sat' }).click();
  await choose(panel, 'Whose clock', 'in the zone of the application');
  await expectAccessible(page);
  await eventually(() =>
    expect(last()?.nodes[0]).toEqual({
      id: 'time1',
      until: {
        time: '10:00',
        days: ['mon', 'tue', 'wed', 'thu', 'fri'],
        zone: 'application',
      },
    }),
  );
  await choose(panel, 'Wait until', 'a date of the person');
  await choose(panel, 'Date', 'the registration');
  await choose(panel, 'When', 'after it');
  await panel.getByLabel('Time (optional)').fill('');
  await expectAccessible(page);

  await eventually(() =>
    expect(last()?.nodes[0]).toEqual({
      id: 'time1',
      until: { field: 'registeredAt', offset: '1d' },
    }),
  );
  await page.getByRole('treeitem', { name: /^Wait until 1 day after the registration/ }).waitFor();
});
