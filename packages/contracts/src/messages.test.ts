import { describe, expect, test } from '@jest/globals';
import type { Channel } from './channels.ts';
import { isWebAddress } from './links.ts';
import { hasUnsubscribeLink, isHtmlBody, unknownPlaceholders } from './placeholders.ts';
import { isDeviceToken, parseWebPushSubscription } from './push-notifications.ts';
import { smsSegments } from './sms-segments.ts';

describe('placeholders', () => {
  const LINK = '<a href="{{unsubscribeUrl}}">Unsubscribe</a>';
  /** The worker does not replace these. */
  const DEAD_LINKS = [
    '<a href="{{unsubscribeUrl}}?utm_source=mail">Unsubscribe</a>',
    `<!-- ${LINK} -->`,
    '<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>',
    '<link href={{unsubscribeUrl}}>',
    `<a href="https://x.example" href="{{unsubscribeUrl}}">Unsubscribe</a>`,
  ] as const;

  describe('a placeholder that nothing fills in', () => {
    test.each<[Channel, object, readonly string[]]>([
      [
        'EMAIL',
        { title: 'Hello {{firstName}}', body: 'Your city is {{ city }}' },
        ['/message/title', '/message/body'],
      ],
      ['EMAIL', { title: 'Hello', body: `<p>Hello</p>${LINK}` }, []],
      [
        'EMAIL',
        { body: `<p>{{ user.firstName | default: "there" }}</p>${LINK}` },
        ['/message/body'],
      ],
      ['EMAIL', { body: 'Unsubscribe: {{unsubscribeUrl}}' }, []],
      ['EMAIL', { body: `<p>{{unsubscribeUrl}}</p>${LINK}` }, ['/message/body']],
      ['EMAIL', { title: '{{unsubscribeUrl}}', body: 'x' }, ['/message/title']],
      ...DEAD_LINKS.map((link): [Channel, object, readonly string[]] => [
        'EMAIL',
        { body: `<p>Hello</p>${link}` },
        ['/message/body'],
      ]),
      ['EMAIL', { body: '<a href="&#123;&#123;unsubscribeUrl}}">x</a>' }, []],
      ['SMS', { body: 'Stop: {{unsubscribeUrl}}' }, ['/message/body']],
      [
        'APP_PUSH',
        {
          body: 'x',
          customContent: { 'a/b': { '~': ['{{x}}'] } },
          buttons: [{ label: '{{y}}', link: 'https://x.example/{{z}}' }],
        },
        ['/message/customContent/a~1b/~0/0', '/message/buttons/0/label', '/message/buttons/0/link'],
      ],
      [
        'WEB_HOOK',
        { body: { text: 'Hello {{name}}', count: 5, none: null } },
        ['/message/body/text'],
      ],
      ['SMS', { body: '{{}} {{ {name} { {a}} {{a}' }, []],
    ])('of %s in %j is at %j', (channel, message, pointers) => {
      expect(unknownPlaceholders(channel, message as never)).toEqual(pointers);
    });

    test('is looked for in a bounded number of values, and named a hundred times at most', () => {
      const body = {
        body: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, index) => [`k${index}`, '{{x}}']),
        ),
      };
      const deep = {
        body: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]),
        ),
        title: '{{x}}',
      };

      expect(unknownPlaceholders('WEB_HOOK', body as never)).toHaveLength(100);
      expect(unknownPlaceholders('WEB_HOOK', deep as never)).toEqual([]);
    });

    test('below a very long name is named by what the name is in', () => {
      expect(
        unknownPlaceholders('APP_PUSH', {
          body: 'x',
          customContent: { ['k'.repeat(30_000)]: '{{x}}' },
        } as never),
      ).toEqual(['/message/customContent']);
    });

    test.each([
      '<a ',
      '<a href="',
      '<a href={{unsubscribeUrl}}>',
      '<a <b ',
      '<!doctype ',
      '<a',
      '<',
      '{{',
      '{{a',
      'href=',
      `href${' '.repeat(15)}`,
      `href=${' '.repeat(40)}`,
      `{{${'a'.repeat(250)}`,
    ])('is found in a time that grows with the text alone: many of %j', (part) => {
      const text = part.repeat((256 * 1_024) / part.length);
      const tookMs = [text, `<p>${text}`, `${text}{{`].map((body) =>
        fastest(() => void unknownPlaceholders('EMAIL', { body })),
      );

      // A search from each of its parts again would take minutes.
      expect(Math.max(...tookMs)).toBeLessThan(500);
    });
  });

  test.each([
    [LINK, true],
    ['<a class=x HREF = {{unsubscribeUrl}}>No more</a>', true],
    ['<p>{{unsubscribeUrl}}</p>', false],
    ['<p>Hello</p>', false],
    ...DEAD_LINKS.map((link): [string, boolean] => [link, false]),
    ['<map><area href=" {{unsubscribeUrl}} "></map>', true],
    ['Hello\n{{unsubscribeUrl}}', true],
    ['Hello {{ unsubscribeUrl }}', false],
  ])('the body %s shows where to unsubscribe: %s', (body, isShown) => {
    expect(hasUnsubscribeLink(body)).toBe(isShown);
  });

  describe('a mail goes out as HTML when it has a tag', () => {
    test.each([
      ['<p>', true],
      ['<br/>', true],
      ['<!DOCTYPE html>', true],
      ['1 < 2 <b class="x">', true],
      ['<a\nhref="<">', true],
      ['<x-card />', true],
      [`<a ${'b'.repeat(1_000)}>`, true],
      [`<a ${'b'.repeat(1_002)}>`, false],
      [`<a <b <c ${'d'.repeat(1_002)}> <e >`, true],
      ['Hello', false],
      ['a < b > c', false],
      ['<ada@example.com>', false],
      ['<1>', false],
      ['</p>', false],
      ['<a ', false],
    ])('%s', (body, expected) => {
      expect(isHtmlBody(body)).toBe(expected);
    });
  });

  /** Milliseconds of CPU of the fastest run: others on the machine do not count. */
  function fastest(run: () => void): number {
    const tookMs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...tookMs);
  }
});

describe('links', () => {
  describe('only http and https are addresses of the Web', () => {
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
});

describe('sms-segments', () => {
  test.each([
    ['', 'GSM-7', 1],
    ['a'.repeat(160), 'GSM-7', 1],
    ['a'.repeat(161), 'GSM-7', 2],
    ['a'.repeat(306), 'GSM-7', 2],
    ['a'.repeat(307), 'GSM-7', 3],
    ['Grüße, ¿qué? à', 'GSM-7', 1],
    // Characters of the extension take two septets.
    ['€'.repeat(80), 'GSM-7', 1],
    ['€'.repeat(81), 'GSM-7', 2],
    // An escape is not separated from its character: 152, then the next part.
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 'GSM-7', 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['я'.repeat(70), 'UCS-2', 1],
    ['я'.repeat(71), 'UCS-2', 2],
    ['я'.repeat(134), 'UCS-2', 2],
    ['я'.repeat(135), 'UCS-2', 3],
    [`${'a'.repeat(69)}я`, 'UCS-2', 1],
    ['`', 'UCS-2', 1],
    // An emoji is two units, and both go to the same part.
    ['👋'.repeat(35), 'UCS-2', 1],
    ['👋'.repeat(36), 'UCS-2', 2],
    ['👋'.repeat(66), 'UCS-2', 2],
    ['👋'.repeat(67), 'UCS-2', 3],
  ])('%j is %s in %i', (text, encoding, segments) => {
    expect(smsSegments(text)).toEqual({ encoding, segments });
  });
});

describe('push-notifications', () => {
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
  const endpoint = 'https://fcm.googleapis.com/fcm/send/abc';

  describe('a subscription', () => {
    test('is read without what else browsers write into it', () => {
      expect(
        parseWebPushSubscription(
          JSON.stringify({ endpoint, expirationTime: null, keys: { ...keys, more: 1 } }),
        ),
      ).toEqual({ endpoint, keys });
    });

    test.each([
      ['no JSON', 'endpoint'],
      ['null', 'null'],
      ['a text', '"text"'],
      ['no endpoint', JSON.stringify({ keys })],
      ['an endpoint that is no URL', JSON.stringify({ endpoint: 'abc', keys })],
      ['an endpoint with a space', JSON.stringify({ endpoint: `${endpoint} x`, keys })],
      ['an endpoint of another scheme', JSON.stringify({ endpoint: 'ftp://a.example/x', keys })],
      [
        'an endpoint without end',
        JSON.stringify({ endpoint: `${endpoint}${'x'.repeat(1_500)}`, keys }),
      ],
      ['no keys', JSON.stringify({ endpoint })],
      ['a short public key', JSON.stringify({ endpoint, keys: { ...keys, p256dh: 'BAAA' } })],
      [
        'a secret of other letters',
        JSON.stringify({ endpoint, keys: { ...keys, auth: `${'A'.repeat(21)}+` } }),
      ],
      ['keys that are numbers', JSON.stringify({ endpoint, keys: { p256dh: 1, auth: 2 } })],
    ])('%s is none', (_what, text) => {
      expect(parseWebPushSubscription(text)).toBeNull();
    });
  });

  test.each([
    ['fGx:APA91b-_x', true],
    ['', false],
    ['two words', false],
    ['line\nbreak', false],
    ['x'.repeat(4_097), false],
  ])('%j as a token: %j', (text, is) => {
    expect(isDeviceToken(text)).toBe(is);
  });
});
