import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Segment, SegmentPreview } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import type { Answer, Answers, Call } from './answer-calls.ts';

const list = (...items: readonly unknown[]): Answer => ({
  json: { items, nextCursor: null },
});
export const estimate = (
  count: number,
  isExact = true,
  stillOpen: SegmentPreview['stillOpen'] = [],
): Answer => ({
  json: {
    estimate: { count, low: count, high: count, isExact },
    sample: ['ada'],
    stillOpen,
    warnings: [],
    asOf: 1,
    tookMs: 1,
  },
});
export const stored: Segment = {
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
/** An application with a segment and three definitions. */
export const SEGMENT_ANSWERS: Answers = {
  'GET segments': list(stored),
  'GET segments/germans': { json: stored },
  'GET definitions': list(
    { slug: 'qwert', name: 'cart_filled', kind: 'action' },
    { slug: 'asdfg', name: 'order_paid', kind: 'revenue' },
    { slug: 'zxcvb', name: 'nightly_run', kind: 'businessEvent' },
  ),
  'POST segments/preview': estimate(3),
};
export const bodies = (calls: readonly Call[], name: string): unknown[] =>
  calls.filter((call) => call.name === name).map(({ body }) => body);
export const lastAsked = (calls: readonly Call[]) =>
  (bodies(calls, 'POST segments/preview').at(-1) as { condition?: Condition })?.condition;
/** Adds what has this name: an event, a field, a segment, "Message". */
export async function addCondition(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Add a condition' }).last().fill(name);
  await page
    .getByRole('option')
    .filter({ has: page.getByText(name, { exact: true }) })
    .click();
}
/** Acts on the condition with this number by its menu. */
export async function actOn(page: Page, number: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of condition ${number}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
/** The part of the builder with this number. */
export const part = (page: Page, number: string) =>
  page.getByRole('group', { name: new RegExp(`^${number.replaceAll('.', String.raw`\.`)} `) });
