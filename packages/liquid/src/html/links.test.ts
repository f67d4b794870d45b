import { expect, test } from '@jest/globals';
import { encodeLink, encodeLinkPart, isAllowedLink, LinkStart } from './links.ts';

test.each([
  ['', 'whole'],
  ['https://shop.example/', 'part'],
  [' \thttps://shop.example/', 'part'],
  ['ht\ntps://shop.example/', 'part'],
  ['https:', 'part'],
  ['https://', 'part'],
  ['https://user-', 'part'],
  ['https://www.shop.', 'part'],
  ['https://shop.example:', 'part'],
  ['https://shop.example', 'host'],
  ['https:shop.example', 'host'],
  ['https:/\\/shop.ex\tample', 'host'],
  ['https://shop.example?q=', 'part'],
  ['https://shop.example\\', 'part'],
  ['https://shop.example/a.b', 'part'],
  ['myapp://shop.example', 'forbidden'],
  ['mailto:ada@shop.example', 'mail address'],
  ['mailto:', 'mail address'],
  ['MAILTO:a@b.example,', 'mail address'],
  ['mailto:?subject=', 'part'],
  ['mailto:ada@shop.example?subject=x&body=', 'part'],
  ['tel:', 'phone number'],
  ['sms:', 'phone number'],
  ['sms:+49151?body=', 'part'],
  ['/orders/', 'part'],
  ['orders', 'whole'],
  ['orders/javascript:', 'part'],
  ['javascript:', 'forbidden'],
  ['javascript:/', 'forbidden'],
  ['java\nscript:', 'forbidden'],
  ['\u0001data:', 'forbidden'],
])('after %j a value is %s', (before, place) => {
  const whole = new LinkStart();
  whole.add(before);
  const inPieces = new LinkStart();
  for (const character of before) inPieces.add(character);

  expect(whole.place).toBe(place);
  expect(inPieces.place).toBe(place);
});

test('inside of a link each character with a meaning is encoded', () => {
  expect(encodeLinkPart('a&b=c d/é?#"')).toBe('a%26b%3Dc%20d%2F%C3%A9%3F%23%22');
});

test.each([
  ['ada+x@shop.example', 'ada%2Bx@shop.example'],
  ['a@b.example,c@d.example', 'a%40b.example%2Cc@d.example'],
  ['ada@b.example?bcc=c', 'ada@b.example%3Fbcc%3Dc'],
  ['ada', 'ada'],
])('of the address %s its @ stays', (address, encoded) => {
  expect(encodeLinkPart(address, 'mail address')).toBe(encoded);
});

test.each([
  ['+4915123456789', '+4915123456789'],
  ['+49 (151) 234\u00a056', '+49(151)23456'],
  ['0151/234', '0151%2F234'],
  ['+49;ext=1+2', '+49%3Bext%3D1%2B2'],
])('of the phone number %s its + stays', (number, encoded) => {
  expect(encodeLinkPart(number, 'phone number')).toBe(encoded);
});

test('a whole link keeps its own', () => {
  expect(encodeLink(' https://shop.example/a?b=c d"<é ')).toBe(
    'https://shop.example/a?b=c%20d%22%3C%C3%A9',
  );
});

test.each([
  ['https://shop.example', true],
  ['HTTP://shop.example', true],
  ['tel:+49', true],
  ['https:///path', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
])('%s may be opened: %s', (link, isAllowed) => {
  expect(isAllowedLink(link)).toBe(isAllowed);
});
