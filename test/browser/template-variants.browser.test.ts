import { expect, test } from '@jest/globals';
import type { MemberRole } from '@tidings/contracts/members';
import { EVERYONE } from '@tidings/web/src/conditions/everyone.ts';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import type { Answers, Call } from './support/answer-calls.ts';
import { german, previewing, problem, stored, TEMPLATE_ANSWERS } from './support/templates.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitAs = (role: MemberRole, answers: Answers = {}) =>
  pages.visit({ role, answers: { ...TEMPLATE_ANSWERS, ...answers } });
const bodies = (calls: readonly Call[], name: string): unknown[] =>
  calls.filter((call) => call.name === name).map(({ body }) => body);

/** What is shown below a tab. */
const panel = (page: Page, name: string) => page.getByRole('tabpanel', { name });
const tabs = (page: Page) => page.getByRole('tab').allInnerTexts();

test('a template has variants in an order, each below its tab with a condition and a message', async () => {
  await using visit = await visitAs('owner', {
    'GET templates/welcome': { json: { ...stored, variants: [german] } },
    'PUT templates/welcome': { json: { ...stored, warnings: [] } },
  });
  const { page, calls } = visit;
  await visit.open('/templates/welcome');
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  const second = panel(page, 'Variant 2');
  expect(await second.getByLabel('Subject').inputValue()).toBe('Hello {{ user.firstName }}');
  await second.getByLabel('Attribute').fill('plan');
  await second.getByLabel('Value').fill('gold');
  await second.getByLabel('Subject').fill('Hello, gold');
  await second.getByLabel('Name of the variant').fill('Gold');
  await panel(page, 'Gold').getByRole('button', { name: 'Move up' }).click();
  expect(await tabs(page)).toEqual(['Default', 'Gold', 'German']);
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Template saved').waitFor();

  expect(bodies(calls, 'PUT templates/welcome')).toMatchObject([
    {
      message: stored.message,
      variants: [
        {
          name: 'Gold',
          condition: { all: [{ attribute: 'plan', is: 'gold' }] },
          message: { title: 'Hello, gold', body: '<p>Hello</p>' },
        },
        german,
      ],
      expectedVersion: 3,
    },
  ]);
  await panel(page, 'Gold').getByRole('button', { name: 'Remove this variant' }).click();
  await panel(page, 'Default').getByLabel('Subject').waitFor();
  expect(await tabs(page)).toEqual(['Default', 'German']);
});

test('a template has tabs and an order of variants by the keyboard, and the focus stays', async () => {
  const named = (name: string) => ({ ...german, name });
  await using visit = await visitAs('owner', {
    'GET templates/welcome': {
      json: { ...stored, variants: [named('A'), named('B'), named('C')] },
    },
  });
  const { page } = visit;
  await visit.open('/templates/welcome');
  await page.getByRole('tab', { name: 'Default' }).focus();
  await page.keyboard.press('ArrowRight');
  await panel(page, 'Default').waitFor();
  await page.keyboard.press('Enter');
  await panel(page, 'A').getByRole('button', { name: 'Move down' }).focus();
  const seen: unknown[] = [];
  for (const key of ['Enter', 'Enter', 'Space', 'Enter']) {
    await page.keyboard.press(key);
    seen.push([(await tabs(page)).join(' '), await page.locator(':focus').innerText()]);
  }

  expect(seen).toEqual([
    ['Default B A C', 'Move down'],
    // At the end only the other way is left.
    ['Default B C A', 'Move up'],
    ['Default B A C', 'Move up'],
    ['Default A B C', 'Move down'],
  ]);
});

test('a template marks the tab of a fault, keeps the faults of the rest while a variant is unfinished, and leads to them', async () => {
  const faulty = { pointer: '/variants/0/message/body', code: 'empty' } as const;
  await using visit = await visitAs('owner', {
    'GET templates/welcome': { json: { ...stored, variants: [german] } },
    'POST templates/preview': previewing,
    'PUT templates/welcome': problem(400, faulty),
  });
  const { page, calls } = visit;
  await visit.open('/templates/welcome');
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  await page.getByRole('tab', { name: 'Default' }).click();
  await panel(page, 'Default').getByLabel('Subject').fill('{{ user.firstName | upper }}');
  await page.getByRole('tab', { name: 'Has a fault: Default' }).waitFor();
  await page.getByText(/^Line 1, column 7: /).waitFor();
  expect(bodies(calls, 'POST templates/preview').at(-1)).toMatchObject({
    variants: [german, { name: 'Variant 2', condition: EVERYONE }],
  });

  await panel(page, 'Default').getByLabel('Subject').fill('Hello');
  await page.getByText(/^Line 1, column 7: /).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'German').locator('code-field :focus').waitFor();
  expect(await page.getByRole('tab', { selected: true }).innerText()).toContain('German');
  // What is no JSON is not in what would be saved.
  await panel(page, 'German').getByRole('button', { name: 'JSON' }).click();
  await panel(page, 'German').getByLabel('Condition as JSON').fill('{');
  await page.getByRole('tab', { name: 'Default' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'German').locator('code-field :focus').waitFor();
  expect(bodies(calls, 'PUT templates/welcome')).toHaveLength(1);
});
