import { describe, expect, test } from '@jest/globals';
import { clickedOn, drawNotification, readFacts } from './notification.ts';

const FULL = {
  deliveryId: 'd1',
  campaignId: 'c1',
  title: 'Sale',
  body: 'From today',
  url: 'https://shop.example/sale',
  icon: 'https://shop.example/icon.png',
  image: 'https://shop.example/image.png',
  buttons: [
    { label: 'Look', link: 'https://shop.example/look' },
    { label: 'Later', link: 'https://shop.example/later' },
  ],
  tag: 'd1',
};

describe('a notification', () => {
  test('has all fields of the campaign', () => {
    expect(drawNotification(FULL)).toEqual({
      title: 'Sale',
      options: {
        body: 'From today',
        tag: 'd1',
        icon: FULL.icon,
        image: FULL.image,
        actions: [
          { action: 'tidings-0', title: 'Look' },
          { action: 'tidings-1', title: 'Later' },
        ],
        data: {
          tidings: true,
          deliveryId: 'd1',
          url: FULL.url,
          links: ['https://shop.example/look', 'https://shop.example/later'],
        },
      },
    });
  });

  test('needs only a body', () => {
    expect(
      drawNotification({
        deliveryId: 'd1',
        campaignId: 'c1',
        body: 'Hello',
        tag: 'd1',
        unknown: 1,
      }),
    ).toMatchObject({ title: '', options: { body: 'Hello', tag: 'd1', actions: [] } });
  });

  test.each([
    null,
    undefined,
    'text',
    7,
    [],
    {},
    { body: 'theirs' },
    { deliveryId: 'd', body: 'theirs' },
  ])('is not built from a push of another sender: %j', (payload) => {
    expect(drawNotification(payload)).toBeUndefined();
  });
});

describe('a click', () => {
  const facts = readFacts({ data: drawNotification(FULL)?.options.data }) ?? {
    tidings: true,
    deliveryId: '',
    links: [],
  };

  test.each([
    ['', { url: FULL.url }],
    ['tidings-0', { url: 'https://shop.example/look', buttonIndex: 0 }],
    ['tidings-1', { url: 'https://shop.example/later', buttonIndex: 1 }],
    ['tidings-7', { url: FULL.url }],
    ['theirs', { url: FULL.url }],
  ])('on %j opens its link', (action, expected) => {
    expect(clickedOn(facts, action)).toEqual(expected);
  });

  test('on a notification of another sender is ignored', () => {
    expect([readFacts({ data: null }), readFacts({ data: { deliveryId: 'd' } })]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
