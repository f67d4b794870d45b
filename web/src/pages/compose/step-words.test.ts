import { describe, expect, test } from '@jest/globals';
import { changeFields, createStepWords } from './step-words.ts';

const MAIL = {
  channel: 'EMAIL',
  message: {
    title: "Hello {{ user.firstName | default: 'there' }}",
    body: '<p>Your cart waits.</p>\n<p><a href="{{unsubscribeUrl}}">Stop</a></p>',
  },
} as const;
const PUSH = {
  channel: 'WEB_PUSH',
  message: {
    title: 'Hello',
    body: 'Your cart waits.',
    url: 'https://shop.example/cart',
    buttons: [{ label: 'Open', link: 'https://shop.example/cart' }],
  },
} as const;

describe('another channel of a message', () => {
  test('takes over what means the same, as text where it shows no HTML', () => {
    const words = createStepWords();

    expect(words.toChannel('mail1', MAIL, 'WEB_PUSH')).toEqual({
      channel: 'WEB_PUSH',
      message: { title: MAIL.message.title, body: 'Your cart waits.' },
    });
    expect(words.toChannel('mail2', MAIL, 'SMS')).toEqual({
      channel: 'SMS',
      message: { body: 'Your cart waits.' },
    });
    expect(words.toChannel('mail3', MAIL, 'IN_APP').message).toEqual({
      title: MAIL.message.title,
      body: '<p>Your cart waits.</p>\n<p></p>',
    });
    expect(words.toChannel('push1', PUSH, 'APP_PUSH').message).toEqual(PUSH.message);
    // A hook has the address of its receiver there.
    expect(words.toChannel('push2', PUSH, 'WEB_HOOK').message).toEqual({
      title: 'Hello',
      body: 'Your cart waits.',
    });
  });

  test('takes text as HTML where only HTML is shown, and no data of a hook', () => {
    const words = createStepWords();
    const sms = { channel: 'SMS', message: { body: 'One < two\nlines' } } as const;
    const hook = { channel: 'WEB_HOOK', message: { body: { id: 1 } } } as const;

    expect(words.toChannel('a', sms, 'ON_SITE').message).toEqual({
      body: 'One &lt; two<br>\nlines',
    });
    expect(words.toChannel('b', sms, 'EMAIL').message).toEqual(sms.message);
    expect(words.toChannel('c', hook, 'SMS').message).toEqual({ body: '' });
    expect(
      words.toChannel('d', { channel: 'WEB_HOOK', message: { body: '{{ user.city }}' } }, 'SMS')
        .message,
    ).toEqual({ body: '{{ user.city }}' });
  });

  test('has its own words again, also if others were written meanwhile', () => {
    const words = createStepWords();
    const sms = words.toChannel('mail1', MAIL, 'SMS');
    const written = { ...sms, message: { body: 'Shorter' } };

    expect(words.toChannel('mail1', written, 'EMAIL')).toEqual(MAIL);
    expect(words.toChannel('mail1', MAIL, 'SMS')).toEqual(written);
    // Through a channel without a title, too.
    expect(words.toChannel('mail1', written, 'APP_PUSH').message).toEqual({
      title: MAIL.message.title,
      body: 'Shorter',
    });
  });

  test('lacks nothing that only another one had', () => {
    const words = createStepWords();
    const subject = { channel: 'EMAIL', message: { title: 'Only a subject', body: '' } } as const;
    const sms = words.toChannel('mail1', subject, 'SMS');

    expect(
      words.toChannel('mail1', { ...sms, message: { body: 'Text' } }, 'EMAIL').message,
    ).toEqual({ title: 'Only a subject', body: 'Text' });
  });

  test('is of its own step', () => {
    const words = createStepWords();
    words.toChannel('mail1', MAIL, 'SMS');

    expect(words.add('mail2', 'EMAIL')).toEqual({ channel: 'EMAIL', message: { body: '' } });
    expect(words.add('mail1', 'EMAIL')).toEqual(MAIL);
    expect(words.add('mail1', 'APP_PUSH').message).toEqual({ body: '' });
  });
});

describe('a template in the place of a message', () => {
  test('is of its channel, and the message and each template come back', () => {
    const words = createStepWords();
    const named = { channel: 'EMAIL', template: 'cart' } as const;

    expect(words.toTemplate('mail1', MAIL)).toEqual({ channel: 'EMAIL', template: '' });
    expect(words.toMessage('mail1', named)).toEqual(MAIL);
    expect(words.toTemplate('mail1', MAIL)).toEqual(named);
    expect(words.toChannel('mail1', named, 'SMS')).toEqual({ channel: 'SMS', template: '' });
    expect(words.toChannel('mail1', { channel: 'SMS', template: 'short' }, 'EMAIL')).toEqual(named);
  });
});

test('the fields of a campaign change with its channel, and come back', () => {
  const words = createStepWords();
  const mail = { title: 'Hello', body: '<p>Your cart</p>', format: 'html' };
  const sms = changeFields(words, { channel: 'EMAIL', fields: mail }, 'SMS');
  const push = { ...sms, body: 'Cart', url: 'https://shop.example' };

  expect(sms).toEqual({ ...mail, body: 'Your cart' });
  // The link of a notification is not the address of a hook.
  expect(changeFields(words, { channel: 'WEB_PUSH', fields: push }, 'WEB_HOOK')).toMatchObject({
    title: 'Hello',
    body: 'Cart',
    url: '',
  });
  expect(changeFields(words, { channel: 'SMS', fields: sms }, 'EMAIL')).toMatchObject(mail);
  // A variant has words of its own.
  const variant = { channel: 'SMS', fields: { body: 'Short' }, step: 'variant1' } as const;
  expect(changeFields(words, variant, 'EMAIL')).toEqual({ title: '', body: 'Short', format: '' });
});
