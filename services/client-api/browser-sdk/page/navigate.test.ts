import { expect, test } from '@jest/globals';
import { leadingUrl } from './navigate.ts';

const BASE = 'https://shop.example/sale/';

test.each([
  ['https://other.example/a?b#c', 'https://other.example/a?b#c'],
  ['../cart', 'https://shop.example/cart'],
  ['mailto:hello@shop.example', 'mailto:hello@shop.example'],
  ['tel:+4930123', 'tel:+4930123'],
])('a click on %s leads to %s', (href, url) => {
  expect(leadingUrl(href, BASE)).toBe(url);
});

test.each([
  'javascript:alert(1)',
  ' JaVa\nScript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://shop.example/x',
  'intent://x',
  'https://',
  'http://[',
])('a click on %j leads nowhere', (href) => {
  expect(leadingUrl(href, BASE)).toBeUndefined();
});
