import { expect } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import {
  accepted,
  describePushCorpus,
  push,
  pushOf,
  pushText,
  rejected,
} from '../../testing/push-corpus.ts';

const email = pushOf('EMAIL');
const ids = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));
/** Nested objects as text: JSON.stringify would recurse. */
const nested = (levels: number, inmost: string) =>
  '{"a":'.repeat(levels) + inmost + '}'.repeat(levels);
const webImage = { url: 'https://a.example/b.png' };
const button = { label: 'Go', link: 'https://a.example' };

describePushCorpus('recipients', ({ cases }) => {
  const withRecipients = (recipients: unknown) => ({ ...email, recipients });
  cases([
    rejected('missing', withRecipients(undefined), '/recipients required'),
    rejected('null', withRecipients(null), '/recipients wrong_type'),
    rejected('[]', withRecipients([]), '/recipients empty'),
    rejected('string', withRecipients('user-1'), '/recipients wrong_type'),
    rejected('object', withRecipients({ 0: 'user-1' }), '/recipients wrong_type'),
    rejected(
      'number items',
      withRecipients([1, 'user-1', 2]),
      '/recipients/0 wrong_type',
      '/recipients/2 wrong_type',
    ),
    rejected('null item', withRecipients(['user-1', null]), '/recipients/1 wrong_type'),
    rejected('nested array', withRecipients([['user-1']]), '/recipients/0 wrong_type'),
    rejected('100,001', withRecipients(ids(100_001)), '/recipients too_many'),
    rejected(
      '100,001 of one user',
      withRecipients(Array.from({ length: 100_001 }, () => 'u1')),
      '/recipients too_many',
    ),
    accepted('100,000', withRecipients(ids(100_000)), {
      recipients: { requested: 100_000, unique: 100_000 },
    }),
    accepted('duplicates', withRecipients(['a', 'b', 'a', 'a']), {
      recipients: { requested: 4, unique: 2 },
    }),
    accepted('100,000 of one user', withRecipients(Array.from({ length: 100_000 }, () => 'u1')), {
      recipients: { requested: 100_000, unique: 1 },
    }),
    accepted('unknown user', withRecipients(['unknown-user'])),
    accepted('empty string', withRecipients(['']), { recipients: { requested: 1, unique: 1 } }),
    accepted('same user NFC and NFD are two', withRecipients(['é', 'e\u0301']), {
      recipients: { requested: 2, unique: 2 },
    }),
    accepted('other case and spaces are others', withRecipients(['ada', 'Ada', ' ada', 'ada ']), {
      recipients: { requested: 4, unique: 4 },
    }),
    accepted(
      '__proto__, constructor, emoji, right-to-left',
      withRecipients(['__proto__', 'constructor', '😀', 'مرحبا']),
      { recipients: { requested: 4, unique: 4 } },
    ),
    accepted('256 characters', withRecipients(['😀'.repeat(256)])),
    rejected('257 characters', withRecipients(['x'.repeat(257)]), '/recipients/0 too_long'),
    rejected(
      'NUL',
      String.raw`{"recipients":["a","\u0000"],"channel":"SMS","message":{"body":"b"}}`,
      '/recipients/1 nul_not_allowed',
    ),
    rejected(
      'lone surrogate',
      String.raw`{"recipients":["\udc00"],"channel":"SMS","message":{"body":"b"}}`,
      '/recipients/0 invalid_value',
    ),
  ]);
});

describePushCorpus('channel', ({ cases }) => {
  cases([
    rejected('missing', { ...email, channel: undefined }, '/channel required'),
    rejected('sms', { ...email, channel: 'sms' }, '/channel invalid_value'),
    rejected('unknown', { ...email, channel: 'FAXES' }, '/channel invalid_value'),
    rejected('array', { ...email, channel: ['EMAIL'] }, '/channel wrong_type'),
    rejected('null', { ...email, channel: null }, '/channel wrong_type'),
    rejected('number', { ...email, channel: 5 }, '/channel wrong_type'),
    rejected('with a space', { ...email, channel: 'SMS ' }, '/channel invalid_value'),
    rejected('toString', { ...email, channel: 'toString' }, '/channel invalid_value'),
    accepted('unconfigured', email),
  ]);
});

describePushCorpus('message', ({ cases }) => {
  cases([
    rejected('missing', { ...email, message: undefined }, '/message required'),
    rejected('null', { ...email, message: null }, '/message wrong_type'),
    rejected('array', { ...email, message: [{ body: 'b' }] }, '/message wrong_type'),
    rejected('string', { ...email, message: 'hello there' }, '/message wrong_type'),
    rejected('number', { ...email, message: 5 }, '/message wrong_type'),
    rejected('{}', { ...email, message: {} }, '/message/body required'),
  ]);
});

describePushCorpus('SMS', ({ cases }) => {
  cases([
    rejected('body missing', pushOf('SMS', { body: undefined }), '/message/body required'),
    rejected('body empty', pushOf('SMS', { body: '' }), '/message/body empty'),
    rejected('body null', pushOf('SMS', { body: null }), '/message/body required'),
    rejected('body object', pushOf('SMS', { body: { text: 'hello' } }), '/message/body wrong_type'),
    accepted('1,600 characters', pushOf('SMS', { body: 'x'.repeat(1_600) })),
    rejected(
      '1,601 characters',
      pushOf('SMS', { body: 'x'.repeat(1_601) }),
      '/message/body too_long',
    ),
    rejected(
      'NUL',
      pushText('SMS', String.raw`"body":"a\u0000b"`),
      '/message/body nul_not_allowed',
    ),
    accepted('only emoji', pushOf('SMS', { body: '😀'.repeat(1_600) })),
    accepted('with title, which is ignored', pushOf('SMS', { title: 'Hello' }), {
      warnings: ['/message/title unsupported_field'],
      message: { body: 'b' },
    }),
  ]);
});

describePushCorpus('EMAIL', ({ cases }) => {
  cases([
    rejected(
      'body object {path}',
      pushOf('EMAIL', { body: { path: '/etc/passwd' } }),
      '/message/body wrong_type',
    ),
    rejected(
      'body array',
      pushOf('EMAIL', { body: ['text of a mail'] }),
      '/message/body wrong_type',
    ),
    accepted('256 KiB', pushOf('EMAIL', { body: 'x'.repeat(LIMITS.emailBodyBytesMax) })),
    rejected(
      '256 KiB + 1',
      pushOf('EMAIL', { body: 'x'.repeat(LIMITS.emailBodyBytesMax + 1) }),
      '/message/body too_long',
    ),
    rejected(
      '256 KiB + 1 of two bytes each',
      pushOf('EMAIL', { body: 'é'.repeat(LIMITS.emailBodyBytesMax / 2 + 1) }),
      '/message/body too_long',
    ),
    accepted(
      'title CRLF is kept: the worker makes it one line',
      pushOf('EMAIL', { title: 'a\r\nBcc: b@c.example' }),
      { message: { body: 'b', title: 'a\r\nBcc: b@c.example' } },
    ),
    rejected('title number', pushOf('EMAIL', { title: 5 }), '/message/title wrong_type'),
  ]);
});

describePushCorpus('WEB_PUSH', ({ cases }) => {
  cases([
    rejected('body missing', pushOf('WEB_PUSH', { body: undefined }), '/message/body required'),
    rejected(
      'url javascript:',
      pushOf('WEB_PUSH', { url: 'javascript:alert(1)' }),
      '/message/url invalid_value',
    ),
    rejected(
      'url without a scheme',
      pushOf('WEB_PUSH', { url: '//a.example' }),
      '/message/url invalid_value',
    ),
    rejected(
      'url deep link',
      pushOf('WEB_PUSH', { url: 'myapp://home' }),
      '/message/url invalid_value',
    ),
    rejected('url empty', pushOf('WEB_PUSH', { url: '' }), '/message/url empty'),
    rejected(
      'icon data:',
      pushOf('WEB_PUSH', { icon: 'data:image/png;base64,AAAA' }),
      '/message/icon invalid_value',
    ),
    rejected(
      'images not array',
      pushOf('WEB_PUSH', { images: webImage }),
      '/message/images wrong_type',
    ),
    rejected(
      'images 11 items',
      pushOf('WEB_PUSH', { images: Array.from({ length: 11 }, () => webImage) }),
      '/message/images too_many',
    ),
    rejected(
      'images no url',
      pushOf('WEB_PUSH', { images: [webImage, {}] }),
      '/message/images/1/url required',
    ),
    rejected(
      'images of texts',
      pushOf('WEB_PUSH', { images: ['https://a.example'] }),
      '/message/images/0 wrong_type',
    ),
    rejected(
      'images url data:',
      pushOf('WEB_PUSH', { images: [{ url: 'data:image/png' }] }),
      '/message/images/0/url invalid_value',
    ),
    rejected(
      'buttons no label',
      pushOf('WEB_PUSH', { buttons: [{ link: 'https://a.example' }] }),
      '/message/buttons/0/label required',
    ),
    rejected(
      'buttons no link',
      pushOf('WEB_PUSH', { buttons: [{ label: 'Press' }] }),
      '/message/buttons/0/link required',
    ),
    rejected(
      'buttons link javascript:',
      pushOf('WEB_PUSH', { buttons: [{ ...button, link: 'javascript:alert(1)' }] }),
      '/message/buttons/0/link invalid_value',
    ),
    accepted(
      'payload > 4,096 B: its deliveries fail payload_too_large',
      pushOf('WEB_PUSH', { body: 'x'.repeat(5_000) }),
    ),
    accepted(
      '10 images and 10 buttons',
      pushOf('WEB_PUSH', {
        images: Array.from({ length: 10 }, () => webImage),
        buttons: Array.from({ length: 10 }, () => button),
      }),
    ),
    accepted('upper case scheme', pushOf('WEB_PUSH', { url: 'HTTPS://A.EXAMPLE' })),
    rejected(
      'url to no host',
      pushOf('WEB_PUSH', { url: 'https://?x' }),
      '/message/url invalid_value',
    ),
    rejected(
      'button of null, personalised',
      pushOf('WEB_PUSH', { buttons: [null] }, { personalize: true }),
      '/message/buttons/0 wrong_type',
    ),
  ]);
});

describePushCorpus('APP_PUSH', ({ cases }) => {
  cases([
    rejected('ttl −1', pushOf('APP_PUSH', { ttl: -1 }), '/message/ttl out_of_range'),
    rejected('ttl 1.5', pushOf('APP_PUSH', { ttl: 1.5 }), '/message/ttl wrong_type'),
    rejected('ttl "5"', pushOf('APP_PUSH', { ttl: '5' }), '/message/ttl wrong_type'),
    rejected('ttl true', pushOf('APP_PUSH', { ttl: true }), '/message/ttl wrong_type'),
    accepted('ttl 2,419,201', pushOf('APP_PUSH', { ttl: 2_419_201 }), {
      message: { body: 'b', ttl: 2_419_201 },
    }),
    accepted('ttl null', pushOf('APP_PUSH', { ttl: null }), { message: { body: 'b' } }),
    accepted('ttl 0', pushOf('APP_PUSH', { ttl: 0 }), { message: { body: 'b', ttl: 0 } }),
    accepted('ttl 60.0 is an integer', pushText('APP_PUSH', '"body":"b","ttl":60.0')),
    accepted(
      'customContent with reserved keys',
      pushOf('APP_PUSH', { customContent: { from: 'x', 'google.x': 'y', gcm: 'z' } }),
      { message: { body: 'b', customContent: { from: 'x', 'google.x': 'y', gcm: 'z' } } },
    ),
    accepted(
      'customContent nested',
      pushOf('APP_PUSH', { customContent: { a: { b: [1, { c: null }] } } }),
      { message: { body: 'b', customContent: { a: { b: [1, { c: null }] } } } },
    ),
    accepted(
      'customContent > 4 KB',
      pushOf('APP_PUSH', { customContent: { a: 'x'.repeat(5_000) } }),
    ),
    rejected(
      'customContent array',
      pushOf('APP_PUSH', { customContent: [1] }),
      '/message/customContent wrong_type',
    ),
    rejected(
      'customContent string',
      pushOf('APP_PUSH', { customContent: 'text' }),
      '/message/customContent wrong_type',
    ),
    rejected(
      'customContent with NUL in a key',
      pushText('APP_PUSH', String.raw`"body":"b","customContent":{"a":{"\u0000":1}}`),
      '/message/customContent/a nul_not_allowed',
    ),
    rejected(
      'customContent with 1,001 keys in its objects',
      pushOf('APP_PUSH', { customContent: { a: keys(500), b: keys(499) } }),
      '/message/customContent too_many',
    ),
    // The message is level 1, its customContent level 2.
    ...[nested(16, '1'), nested(20_000, '1'), nested(20_000, String.raw`"\ud800"`)].map(
      (customContent) =>
        rejected(
          `customContent of ${customContent.length} characters, too deep`,
          pushText('APP_PUSH', `"body":"b","customContent":${customContent}`),
          `/message/customContent${'/a'.repeat(15)} too_deep`,
        ),
    ),
    rejected(
      'image of null, personalised',
      pushOf('APP_PUSH', { images: [null] }, { personalize: true }),
      '/message/images/0 wrong_type',
    ),
    rejected(
      'customContent with a number beyond doubles',
      pushText('APP_PUSH', '"body":"b","customContent":{"a":1e400}'),
      '/message/customContent/a out_of_range',
    ),
    ...[
      'javascript:x',
      'data:text/html,x',
      'vbscript:xyz',
      'file:///etc/passwd',
      'intent://scan',
      'JaVaScRiPt:x',
    ].map((url) =>
      rejected(`url ${url}`, pushOf('APP_PUSH', { url }), '/message/url invalid_value'),
    ),
    ...[
      'myapp://home',
      'https://a.example',
      'tel:123',
      'market://details?id=x',
      'a.example/path',
    ].map((url) =>
      accepted(`url ${url}`, pushOf('APP_PUSH', { url }), { message: { body: 'b', url } }),
    ),
  ]);
});

const onScreen = (channel: Channel) =>
  describePushCorpus(`${channel}`, ({ cases }) => {
    cases([
      rejected(
        'alignment LEFT',
        pushOf(channel, { alignment: 'LEFT' }),
        '/message/alignment invalid_value',
      ),
      rejected(
        'alignment lowercase',
        pushOf(channel, { alignment: 'center' }),
        '/message/alignment invalid_value',
      ),
      rejected('duration −1', pushOf(channel, { duration: -1 }), '/message/duration out_of_range'),
      accepted('duration 0', pushOf(channel, { duration: 0 }), {
        message: { body: 'b', duration: 0 },
      }),
      accepted('duration 1e18', pushOf(channel, { duration: 1e18 })),
      rejected(
        'duration string',
        pushOf(channel, { duration: '5000' }),
        '/message/duration wrong_type',
      ),
      rejected('duration 1.5', pushOf(channel, { duration: 1.5 }), '/message/duration wrong_type'),
      rejected(
        'duration 1e400',
        pushText(channel, '"body":"b","duration":1e400'),
        '/message/duration out_of_range',
      ),
      accepted(
        'script in body is stored raw',
        pushOf(channel, { body: '<script>alert(1)</script>' }),
        { message: { body: '<script>alert(1)</script>' } },
      ),
    ]);
  });
onScreen('IN_APP');
onScreen('ON_SITE');

describePushCorpus('WEB_HOOK', ({ cases }) => {
  cases([
    accepted(
      'to a private URL: it is vetted when it is sent',
      pushOf('WEB_HOOK', { url: 'http://169.254.169.254/latest' }),
    ),
    rejected(
      'to another scheme',
      pushOf('WEB_HOOK', { url: 'gopher://a.example' }),
      '/message/url invalid_value',
    ),
    accepted('body object', pushOf('WEB_HOOK', { body: { a: [1, null] } }), {
      message: { body: { a: [1, null] } },
    }),
    rejected('body array', pushOf('WEB_HOOK', { body: [1] }), '/message/body wrong_type'),
    rejected(
      'headers with CRLF',
      pushOf('WEB_HOOK', { headers: { 'X-A': 'b\r\nX-B: c' } }),
      '/message/headers/X-A invalid_value',
    ),
    rejected(
      'headers with a number',
      pushOf('WEB_HOOK', { headers: { 'X-A': 1 } }),
      '/message/headers/X-A wrong_type',
    ),
    rejected('method GET', pushOf('WEB_HOOK', { method: 'GET' }), '/message/method invalid_value'),
    rejected(
      'a header name of two words',
      pushOf('WEB_HOOK', { headers: { 'X A': 'b' } }),
      '/message/headers invalid_value',
    ),
    rejected(
      'a content type of two lines',
      pushOf('WEB_HOOK', { contentType: 'a\nb' }),
      '/message/contentType invalid_value',
    ),
    rejected(
      '1,001 keys in its body',
      pushOf('WEB_HOOK', { body: keys(1_001) }),
      '/message/body too_many',
    ),
    rejected(
      '1,001 headers',
      pushOf('WEB_HOOK', { headers: keys(1_001) }),
      '/message/headers too_many',
    ),
  ]);
});

describePushCorpus('the request around it', ({ cases, check }) => {
  const large = (bytes: number): string =>
    JSON.stringify(email) + ' '.repeat(bytes - JSON.stringify(email).length);
  cases([
    {
      name: 'Idempotency-Key 300 chars',
      body: email,
      headers: { 'Idempotency-Key': 'k'.repeat(300) },
      status: 400,
      code: 'validation_failed',
      errors: [' too_long'],
    },
    {
      name: 'Idempotency-Key empty',
      body: email,
      headers: { 'Idempotency-Key': '' },
      status: 400,
      code: 'validation_failed',
      errors: [' empty'],
    },
    accepted('Idempotency-Key 128 chars', email, {
      headers: { 'Idempotency-Key': 'k'.repeat(128) },
    }),
    accepted('body 8 MiB', large(LIMITS.pushBodyBytesMax)),
    {
      name: 'body 8 MiB + 1',
      body: large(LIMITS.pushBodyBytesMax + 1),
      status: 413,
      code: 'payload_too_large',
    },
    {
      name: 'body null',
      body: 'null',
      status: 400,
      code: 'validation_failed',
      errors: [' wrong_type'],
    },
    {
      name: 'body []',
      body: '[]',
      status: 400,
      code: 'validation_failed',
      errors: [' wrong_type'],
    },
    {
      name: 'body {}',
      body: '{}',
      status: 400,
      code: 'validation_failed',
      errors: ['/recipients required', '/channel required', '/message required'],
    },
  ]);
  check('a campaign id cannot be chosen: it is an unknown field', async (gateway) => {
    const first = await push(gateway, email);
    const { campaignId } = first.body as { readonly campaignId: string };

    const second = await push(gateway, { ...email, campaignId });

    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      warnings: [{ code: 'unknown_field', pointer: '/campaignId' }],
    });
    expect((second.body as { readonly campaignId: string }).campaignId).not.toBe(campaignId);
  });
});
