import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Finding = { readonly id: string; readonly impact?: string | null; readonly nodes: readonly { readonly html: string }[] };

/** What axe finds serious or critical on a page, a line each. It is run past the page's policy, which lets nobody in. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ readonly violations: readonly Finding[] }>('axe.run()');
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
