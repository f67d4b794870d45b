import { describe, expect, test } from '@jest/globals';
import { isWebAddress } from './links.ts';

describe('S33 only http and https are addresses of the Web', () => {
  test.each([
    'https://shop.example',
    'HTTP://shop.example/x',
    ' https://shop.example ',
    'http:shop.example',
  ])('%j is', (text) => {
    expect(isWebAddress(text)).toBe(true);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'intent://x#Intent;end',
    'mailto:ada@example.org',
    'tel:+49151',
    '//shop.example',
    '/cart',
    '#top',
    '{{unsubscribe}}',
    'https://',
    '',
  ])('%j is not', (text) => {
    expect(isWebAddress(text)).toBe(false);
  });
});
