import { expect, test } from '@jest/globals';
import { createLinkedWords } from './linked-words.ts';

const CART = "{{ event.attributes.cartUrl | default: 'https://shop.example/cart' }}";
const UNSUBSCRIBE = '<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>';
const mail = (...lines: readonly string[]) =>
  ({
    channel: 'EMAIL',
    message: {
      title: 'Your cart',
      body: [...lines, UNSUBSCRIBE].map((line) => `<p>${line}</p>`).join('\n'),
    },
  }) as const;
const WITH_LINK = mail('Look at it.', `<a href="${CART}">Open my cart</a>`);

test.each(['WEB_PUSH', 'APP_PUSH'] as const)('the link of a mail is the link of %s', (channel) => {
  const words = createLinkedWords();

  expect(words.toChannel('mail1', WITH_LINK, channel)).toEqual({
    channel,
    message: { title: 'Your cart', body: 'Look at it.\nOpen my cart', url: CART },
  });
  // The mail has it as before.
  expect(
    words.toChannel('mail1', { channel, message: { body: 'Short' } }, 'EMAIL').message,
  ).toEqual(WITH_LINK.message);
});

test('by a template, too', () => {
  const words = createLinkedWords();
  const template = words.toTemplate('mail1', WITH_LINK);
  const push = words.toChannel('mail1', template, 'WEB_PUSH');

  expect(words.toMessage('mail1', push).message).toMatchObject({ url: CART });
});

test.each([
  ['an SMS has no link', WITH_LINK, 'SMS', `Look at it.\nOpen my cart ${CART}`],
  [
    'of two it is not known which is meant',
    mail('<a href="https://a.test">A</a>', '<a href="https://b.test">B</a>'),
    'WEB_PUSH',
    'A https://a.test\nB https://b.test',
  ],
  ['unsubscribing is none', mail('Look at it.'), 'WEB_PUSH', 'Look at it.'],
] as const)('nothing moves: %s', (_why, message, channel, body) => {
  const next = createLinkedWords().toChannel('mail1', message, channel);

  expect(next.message?.body).toBe(body);
  expect(next.message).not.toHaveProperty('url');
});

test('an address that is read stays in the text, and one twice is one', () => {
  const shown = mail('See <a href="https://a.test">https://a.test</a>');
  const twice = mail('<a href="https://a.test">Cart</a>', '<a href="https://a.test">Open it</a>');
  const { toChannel } = createLinkedWords();

  expect(toChannel('mail1', shown, 'WEB_PUSH').message).toMatchObject({
    body: 'See https://a.test',
    url: 'https://a.test',
  });
  expect(toChannel('mail2', twice, 'WEB_PUSH').message).toMatchObject({
    body: 'Cart\nOpen it',
    url: 'https://a.test',
  });
});

test('what was written for the notification stays', () => {
  const words = createLinkedWords();
  const push = words.toChannel('mail1', WITH_LINK, 'WEB_PUSH');
  const own = { ...push, message: { body: 'Mine', url: 'https://shop.test' } };
  const back = words.toChannel('mail1', own, 'EMAIL');

  expect(words.toChannel('mail1', back, 'WEB_PUSH').message).toMatchObject(own.message);
});
