import { expect, test } from '@jest/globals';
import { campaignTitle } from './campaign-title.ts';

const template = (slug: string | null) => ({ slug, version: 1, share: 50 });
const LIQUID = { title: '{{ user.firstName }}, your cart', body: 'Hello' };

test.each([
  ['its title', { message: { title: ' Hello ', body: 'Text' }, templates: null }, 'Hello'],
  [
    'its name',
    { name: 'Black Friday', message: LIQUID, templates: [template('cart')] },
    'Black Friday',
  ],
  ['its title, without a name', { name: null, message: { title: 'Hi', body: 'Text' } }, 'Hi'],
  ['its text', { message: { body: '<p>Some  <b>text</b></p>' } }, 'Some text'],
  ['its template', { message: LIQUID, templates: [template('cart')] }, 'Your cart'],
  [
    'all its templates, of a deleted one the slug',
    { message: LIQUID, templates: [template('cart'), template('plan')] },
    'Your cart · plan',
  ],
  [
    'its title, without Liquid',
    { message: { title: 'Hello', body: '{{ user.firstName }}' }, templates: [template('cart')] },
    'Hello',
  ],
  [
    'its title with Liquid, without a template',
    { message: LIQUID, templates: [template(null)] },
    '⟨first name⟩, your cart',
  ],
  [
    'its title as it is, if nothing is filled in',
    { message: LIQUID, templates: null },
    LIQUID.title,
  ],
  [
    'its own name before all others',
    { name: 'Autumn', message: LIQUID, templates: [template('cart')] },
    'Autumn',
  ],
])('a campaign is named by %s', (_what, campaign, title) => {
  expect(campaignTitle(campaign, new Map([['cart', 'Your cart']]))).toBe(title);
});

test('a name has at most 70 characters', () => {
  const message = { title: 'é'.repeat(71), body: '' };

  expect(campaignTitle({ message })).toBe(`${'é'.repeat(69)}…`);
});
