import { expect, test } from '@jest/globals';
import { toNamedOptions } from './options.ts';

const labels = (items: readonly { slug: string; name: string; status: string }[]) =>
  toNamedOptions(items, ({ status }) => status).map(({ label }) => label);
const of = (slug: string, name: string, status: string) => ({ slug, name, status });

test('only equal names say what tells them apart: their state', () => {
  expect(
    labels([
      of('cart', 'Cart', 'Active'),
      of('cart-2', 'Cart ', 'Draft'),
      of('vip', 'VIP', 'Draft'),
    ]),
  ).toEqual(['Cart (Active)', 'Cart  (Draft)', 'VIP']);
});

test('equal names of one state have their slugs', () => {
  expect(
    labels([
      of('cart', 'Cart', 'Draft'),
      of('cart-2', 'Cart', 'Draft'),
      of('cart-3', 'Cart', 'Active'),
    ]),
  ).toEqual(['Cart (cart)', 'Cart (cart-2)', 'Cart (cart-3)']);
});

test('the value is the slug, also without a state', () => {
  expect(toNamedOptions([of('a', 'Cart', ''), of('b', 'Cart', '')])).toEqual([
    { value: 'a', label: 'Cart (a)' },
    { value: 'b', label: 'Cart (b)' },
  ]);
});
