import type { Locator, Page } from 'playwright-core';

type Scope = Page | Locator;

/** The button of the picker with this label. */
export const picker = (scope: Scope, label: string): Locator =>
  scope.getByRole('combobox', { name: label, exact: true });

/** Chooses an option, as a press does. */
export async function choose(scope: Scope, label: string, option: string): Promise<void> {
  await picker(scope, label).click();
  await scope.getByRole('option', { name: option, exact: true }).click();
}

/** The label of the option that is chosen. */
export const chosen = (scope: Scope, label: string): Promise<string> =>
  picker(scope, label).innerText();

/** The labels of all options. Leaves the picker closed. */
export async function offered(scope: Scope, label: string): Promise<readonly string[]> {
  await picker(scope, label).click();
  await scope.getByRole('listbox', { name: label, exact: true }).waitFor();
  const labels = await scope.getByRole('option').allInnerTexts();
  await picker(scope, label).press('Escape');
  return labels;
}
