import { expect, test } from '@jest/globals';
import { allNodes, messagesOf } from '@tidings/contracts/automations/definition';
import { hasUnsubscribeLink } from '@tidings/mail-body/placeholders';
import { clickCautions } from '../../automations/click-cautions.ts';
import { BLANK, buildDefinition, RECIPES } from './recipe-list.ts';

const built = [...RECIPES, BLANK].map((recipe) =>
  buildDefinition(recipe, {
    starts: 'cartd',
    goal: 'order',
    date: 'expiresOn',
    name: recipe.name,
    segment: 'people',
  }),
);

test.each(built.map((each) => [each.name, each] as const))(
  'a click that the recipe “%s” waits for can come, and only its site is to be written',
  (_name, definition) => {
    const texts = clickCautions(definition).map(({ text }) => text);

    expect(texts.filter((text) => !text.includes('shop.example'))).toEqual([]);
  },
);

test('each mail of a recipe can be unsubscribed, and some wait for a click', () => {
  const nodes = built.flatMap((each) => allNodes(each.nodes));
  const mails = nodes.flatMap((node) => ('send' in node ? messagesOf(node.send) : []));

  expect(mails.length).toBeGreaterThan(0);
  expect(mails.every(({ message }) => hasUnsubscribeLink(message ?? {}))).toBe(true);
  expect(JSON.stringify(nodes)).toContain('"was":"clicked"');
});
