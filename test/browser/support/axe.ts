import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Finding = {
  readonly id: string;
  readonly impact?: string | null;
  readonly nodes: readonly { readonly html: string }[];
};

/** Adds axe to a loaded page, bypassing the page's content security policy. */
export async function injectAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** Serious and critical accessibility violations, one line each. `rules` restricts the check to these rules. */
export async function seriousFindings(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } };
  const { violations } = await page.evaluate<{ readonly violations: readonly Finding[] }>(
    `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
