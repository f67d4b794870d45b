import { describe, expect, test } from '@jest/globals';
import type { MemberRole } from '@tidings/contracts/members';
import type { Segment } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const list = (...items: readonly unknown[]) => ({ json: { items, nextCursor: null } });
const stored: Segment = {
  slug: 'germans',
  name: 'Germans',
  condition: { field: 'country', is: 'DE' },
  version: 3,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
  lastCount: null,
  usedBy: [],
};
const visitAs = (role: MemberRole, answers: Answers = {}) =>
  pages.visit({
    role,
    answers: {
      'GET segments': list(stored),
      'GET definitions': list({ slug: 'qwert', name: 'cart_filled', kind: 'action' }),
      ...answers,
    },
  });
/** The part of the builder with this number. */
const part = (page: Page, number: string) =>
  page.getByRole('group', { name: new RegExp(`^${number.replaceAll('.', String.raw`\.`)} `) });

describe('a new segment', () => {
  test('gets an API name that is free, which the reader may write', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/new-segment');
    const create = page.getByRole('button', { name: 'Create segment' });
    await page.getByText('Required: a name').waitFor();
    expect(await create.isDisabled()).toBe(true);

    await page.getByLabel('Name', { exact: true }).fill('Germans');
    await page.getByText('germans-2').waitFor();
    expect(await create.isDisabled()).toBe(false);

    await page.getByRole('button', { name: 'Edit the API name' }).click();
    await page.getByLabel('API name').fill('germans');
    await page.getByText('Another segment has this name.').waitFor();
    expect(await page.getByLabel('API name').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('API name').fill('germans-of-2026');

    await page.getByText('Another segment has this name.').waitFor({ state: 'detached' });
  });

  test.each([
    ['Hebrew', 'לקוחות נאמנים'],
    ['Persian', 'مشتریان وفادار'],
    ['Arabic', 'العملاء الدائمون'],
    ['Russian', 'Постоянные клиенты'],
    ['Chinese', '忠实客户'],
  ])('is created with a name in %s', async (_script, name) => {
    await using visit = await visitAs('marketer', {
      'PUT segments/*': { json: { ...stored, name, warnings: [] } },
    });
    const { page, calls } = visit;
    await visit.open('/new-segment');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await part(page, '1').getByLabel('Attribute').fill('loyalty');
    await part(page, '1').getByLabel('Value').fill('gold');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByText('Segment saved').waitFor();

    const puts = calls.filter((call) => call.name.startsWith('PUT segments/'));
    expect(puts).toHaveLength(1);
    expect(puts[0]?.name).toMatch(/^PUT segments\/segment-[a-z2-9]{4}$/);
    expect(puts[0]?.body).toMatchObject({ name, expectedVersion: 0 });
  });

  test('is built by keys: only Enter adds a condition', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/new-segment');
    const parts = page.getByRole('group', { name: /^\d+ / });
    await parts.first().waitFor();
    const before = await parts.count();

    const search = page.getByRole('combobox', { name: 'Add a condition' });
    await search.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home', 'e'])
      await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.keyboard.type('no such thing');
    await page.keyboard.press('Enter');
    expect(await parts.count()).toBe(before);

    await search.fill('cart');
    await page.keyboard.press('Enter');
    await part(page, '1').getByLabel('Event', { exact: true }).waitFor();
    // The one that asked nothing gave way, and the next is typed at once.
    expect(await parts.count()).toBe(before);
    await page.keyboard.type('City');
    await page.keyboard.press('Enter');

    await part(page, '2').getByLabel('Field', { exact: true }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
