import { expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { eventually } from '@tidings/testing';
import { ACTIVE, AUTOMATION_ANSWERS, keepsDraft, list } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitEditor = async (path: string) => {
  const visit = await pages.visit({
    role: 'marketer',
    answers: {
      ...AUTOMATION_ANSWERS,
      ...keepsDraft({ ...ACTIVE, draft: { ...ACTIVE.draft, exit: [] } }),
      'GET segments': list({ slug: 'vip', name: 'VIP', version: 1 }),
    },
  });
  await visit.open(path);
  const last = () =>
    bodies(visit.calls, 'PUT automations/cart').at(-1) as AutomationDefinition | undefined;
  return { visit, page: visit.page, panel: visit.page.getByRole('complementary'), last };
};

test('a segment starts an automation and ends it, as does an unsubscription', async () => {
  const { visit, page, panel, last } = await visitEditor('/automations/cart?step=frame');
  await using _ = visit;
  await choose(panel, 'Starts when', 'a person enters or leaves a segment');
  await choose(panel, 'Segment', 'VIP');
  await panel.getByLabel('Also those who are in it when it is activated').check();
  await page.getByRole('treeitem', { name: /^A person enters the segment “VIP”/ }).waitFor();
  await expectAccessible(page);
  await eventually(() =>
    expect(last()?.trigger).toEqual({ segment: 'vip', when: 'enters', existing: true }),
  );
  await choose(panel, 'Enters or leaves', 'leaves');
  await eventually(() => expect(last()?.trigger).toEqual({ segment: 'vip', when: 'leaves' }));

  await choose(panel, 'Starts when', 'your back end asks for it');
  await panel.getByRole('button', { name: '+ Segment' }).click();
  await choose(panel, 'Segment', 'VIP');
  await panel.getByLabel('This is the goal').check();
  await panel.getByRole('button', { name: '+ Unsubscribes' }).click();
  await choose(panel, 'Takes no marketing by', 'SMS');
  await page.getByText('Ends when they leave the segment “VIP”, the goal').waitFor();
  await page.getByText('Ends when they take no marketing by SMS').waitFor();
  await expectAccessible(page);

  await eventually(() =>
    expect(last()?.exit).toEqual([
      { segment: 'vip', when: 'leaves', as: 'goal' },
      { unsubscribed: 'SMS' },
    ]),
  );
});

test('a run waits for a segment', async () => {
  const { visit, page, panel, last } = await visitEditor('/automations/cart');
  await using _ = visit;
  await page.getByRole('treeitem', { name: 'Add a step after what starts it' }).click();
  await page.getByRole('menuitem', { name: /^Wait until something happens/ }).click();
  await choose(panel, 'Wait for', 'a segment');
  await choose(panel, 'Segment', 'VIP');
  await expectAccessible(page);

  await eventually(() =>
    expect(last()?.nodes[0]).toMatchObject({ waitFor: { segment: 'vip', when: 'enters' } }),
  );
  await page
    .getByRole('treeitem', { name: /^Wait until the person enters the segment “VIP”/ })
    .waitFor();
});
