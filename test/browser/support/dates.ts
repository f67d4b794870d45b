import type { Locator, Page } from 'playwright-core';

type Scope = Page | Locator;
const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const;

/** The field of a date or a time, which has a part for each number. */
const field = (scope: Scope, label: string): Locator =>
  scope.getByRole('group', { name: label, exact: true });
const part = (scope: Scope, label: string, type: string): Locator =>
  field(scope, label).locator(`[data-type=${type}]`);

/** Types a date with a time, `2026-12-24T09:00`, part by part. For browsers whose clock has 24 hours. */
export async function typeDateTime(scope: Scope, label: string, text: string): Promise<void> {
  const numbers = text.split(/\D/);
  for (const [index, type] of PARTS.entries())
    await part(scope, label, type).pressSequentially(numbers[index] ?? '');
}

/** What the parts of a date with a time show, as `2026-12-24T09:00`; `--` for an empty part. */
export async function shownDateTime(scope: Scope, label: string): Promise<string> {
  const shown: string[] = [];
  for (const type of PARTS) {
    const number = await part(scope, label, type).getAttribute('aria-valuenow');
    shown.push((number ?? '--').padStart(2, '0'));
  }
  const [year, month, day, hour, minute] = shown;
  return `${year}-${month}-${day}T${hour}:${minute}`;
}
