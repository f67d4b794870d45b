import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Finding = {
  readonly id: string;
  readonly impact?: string | null;
  readonly nodes: readonly { readonly html: string }[];
};

/** Has axe in a page that was loaded. It is put there past the page's policy, which lets nobody in. */
export async function injectAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** What axe, being in the page, finds serious or critical there, a line each; by these rules alone if any are named. */
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
