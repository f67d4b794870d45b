import { expect, test } from '@jest/globals';
import { hasUnsubscribeLink, unknownPlaceholders } from '@tidings/contracts';
import { withUnsubscribeLink } from './unsubscribe-link.ts';

test.each([
  ['Hello', 'Hello\n\nUnsubscribe: {{unsubscribeUrl}}\n'],
  ['<p>Hello</p>\n', '<p>Hello</p>\n<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>\n'],
  [
    '<html><body><p>Hello</p></body></html>',
    '<html><body><p>Hello</p><p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>\n</body></html>',
  ],
])('%j gets a link that the worker fills in', (body, expected) => {
  expect(withUnsubscribeLink(body)).toBe(expected);
  expect(hasUnsubscribeLink(expected)).toBe(true);
  expect(unknownPlaceholders('EMAIL', { body: expected })).toEqual([]);
});

test.each([
  '<a href="{{unsubscribeUrl}}?utm_source=mail">Unsubscribe</a>',
  '<!-- <a href="{{unsubscribeUrl}}">Unsubscribe</a> -->',
  '<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>',
  '<link href={{unsubscribeUrl}}>',
])('%s is no link that the worker fills in, and another can be inserted', (link) => {
  const body = `<p>Hello</p>${link}`;

  expect(hasUnsubscribeLink(body)).toBe(false);
  expect(unknownPlaceholders('EMAIL', { body })).toEqual(['/message/body']);
  expect(hasUnsubscribeLink(withUnsubscribeLink(body))).toBe(true);
});
