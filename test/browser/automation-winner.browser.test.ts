import { expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { SplitReport } from '@tidings/contracts/automations/split-report';
import { eventually } from '@tidings/testing';
import { ACTIVE, AUTOMATION_ANSWERS, keepsDraft, REPORT } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const mail = (id: string) =>
  ({ id, send: { channel: 'EMAIL', message: { title: id, body: '<p>Yours</p>' } } }) as const;
const SPLIT = {
  id: 'ab',
  split: [
    { weight: 50, nodes: [mail('short')] },
    { weight: 50, nodes: [mail('long')] },
  ],
};
const WINNER = { by: 'clicked', after: '3d', minimum: 100 } as const;
const OPEN: SplitReport = {
  ...WINNER,
  decideAt: 1_795_300_000_000,
  figures: [
    { runs: 141, hits: 12 },
    { runs: 138, hits: 31 },
  ],
  decision: null,
};

async function visitSplit(node: AutomationDefinition['nodes'][number], winner?: SplitReport) {
  const definition: AutomationDefinition = { ...ACTIVE.draft, nodes: [node] };
  const visit = await pages.visit({
    role: 'marketer',
    answers: {
      ...AUTOMATION_ANSWERS,
      ...keepsDraft({ ...ACTIVE, draft: definition, live: definition }),
      'GET automations/cart/report': {
        json: {
          ...REPORT,
          nodes: [
            {
              id: 'ab',
              entered: 900,
              waiting: 0,
              passed: 900,
              branches: { 0: 141, 1: 759 },
              ...(winner && { winner }),
            },
          ],
        },
      },
    },
  });
  await visit.open('/automations/cart?step=ab');
  return { visit, page: visit.page, panel: visit.page.getByRole('complementary') };
}

test('a split is asked to look for its better way, by fields', async () => {
  const { visit, page, panel } = await visitSplit(SPLIT);
  await using _ = visit;
  const last = () => bodies(visit.calls, 'PUT automations/cart').at(-1) as AutomationDefinition;
  await panel.getByLabel('Let the better way win').check();
  await page.getByRole('treeitem', { name: /^Split 50 \/ 50, then the better way/ }).waitFor();
  await choose(panel, 'Better is', 'More clicks');
  await panel.getByLabel('People in each way, at least').fill('200');
  await expectAccessible(page);
  await eventually(() =>
    expect(last().nodes).toEqual([
      { ...SPLIT, winner: { by: 'clicked', after: '3d', minimum: 200 } },
    ]),
  );

  await panel.getByLabel('Let the better way win').uncheck();
  await eventually(() => expect(last().nodes).toEqual([SPLIT]));
});

test('figures of each way stand at the split, until it is decided', async () => {
  const { visit, page, panel } = await visitSplit({ ...SPLIT, winner: WINNER }, OPEN);
  await using _ = visit;
  await panel.getByText('The ways are compared once each has had 100 people').waitFor();
  await panel.getByText('12 of 141').waitFor();
  await panel.getByText('31 of 138').waitFor();
  expect(await page.getByText('better', { exact: true }).count()).toBe(0);
});

test('the way that is better is named, with what decided', async () => {
  const { visit, page, panel } = await visitSplit(
    { ...SPLIT, winner: WINNER },
    { ...OPEN, decision: { choice: 1, certainty: 0.998, decidedAt: 1_795_300_021_000 } },
  );
  await using _ = visit;
  await panel.getByText('B is better, and all who come later take it.').waitFor();
  const better = page.locator('[data-good=true]');
  await better.getByRole('treeitem', { name: /^B · 50 % 759 better/ }).waitFor();
  expect(await better.count()).toBe(1);
  await expectAccessible(page);
});

test('that none is better is said', async () => {
  const { visit, panel } = await visitSplit(
    { ...SPLIT, winner: WINNER },
    { ...OPEN, decision: { choice: null, certainty: 0.4, decidedAt: 1_795_300_021_000 } },
  );
  await using _ = visit;
  await panel.getByText('No way is better: people go on dividing by share.').waitFor();
});
