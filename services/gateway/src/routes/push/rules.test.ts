import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import {
  accepted,
  describePushCorpus,
  push,
  pushOf,
  pushText,
  rejected,
} from '../../testing/push-corpus.ts';
import { CLIENT_HEADERS, SERVER_HEADERS, type Answer } from '../../testing/test-gateway.ts';

const DAY_MS = 86_400_000;
const email = pushOf('EMAIL');

describePushCorpus('channel and body', ({ cases }) => {
  cases(
    CHANNELS.flatMap((channel) => [
      accepted(`${channel} with a body alone`, pushOf(channel), { message: { body: 'b' } }),
      rejected(
        `${channel} without a body`,
        pushOf(channel, { body: undefined }),
        '/message/body required',
      ),
      rejected(
        `${channel} with a body of null, which counts as absent`,
        pushOf(channel, { body: null }),
        '/message/body required',
      ),
      rejected(
        `${channel} with an empty body`,
        pushOf(channel, { body: '' }),
        '/message/body empty',
      ),
      rejected(
        `${channel} with a number for a body`,
        pushOf(channel, { body: 5 }),
        '/message/body wrong_type',
      ),
      channel === 'WEB_HOOK'
        ? accepted('WEB_HOOK with an object for a body', pushOf(channel, { body: { order: 5 } }), {
            message: { body: { order: 5 } },
          })
        : rejected(
            `${channel} with an object for a body`,
            pushOf(channel, { body: { order: 5 } }),
            '/message/body wrong_type',
          ),
    ]),
  );
});

/** A valid value of each field, for channels with fields besides the body. */
const FIELDS: Readonly<Partial<Record<Channel, Readonly<Record<string, unknown>>>>> = {
  WEB_PUSH: {
    title: 't',
    url: 'https://a.example',
    icon: 'http://a.example/i.png',
    images: [{ url: 'https://a.example/b.png' }],
    buttons: [{ label: 'Go', link: 'https://a.example' }],
  },
  APP_PUSH: {
    title: 't',
    url: 'app://home',
    icon: 'app://i',
    images: [{ url: 'app://b' }],
    buttons: [{ label: 'Go', link: 'app://c' }],
    ttl: 60,
    customContent: { a: 1 },
  },
  EMAIL: { title: 't', format: 'text' },
  WEB_HOOK: {
    title: 't',
    url: 'https://a.example',
    method: 'PUT',
    headers: { 'X-A': 'b' },
    contentType: 'text/plain',
    customContent: { a: 1 },
  },
  IN_APP: { title: 't', duration: 5_000, alignment: 'TOP' },
  ON_SITE: { title: 't', duration: 5_000, alignment: 'BOTTOM' },
};
/** Fields with a list of values. */
const CHOICES: ReadonlySet<string> = new Set(['method', 'alignment', 'format']);
const fieldsOf = (channel: Channel) => FIELDS[channel] ?? {};
const ALL_FIELDS = Object.assign({}, ...Object.values(FIELDS)) as Readonly<Record<string, unknown>>;

test.each(CHANNELS)('the values for %s are those of its schema', (channel) => {
  const { body, ...others } = CHANNEL_DESCRIPTORS[channel].message.properties;

  expect(body).toBeDefined();
  expect(Object.keys(fieldsOf(channel)).toSorted()).toEqual(Object.keys(others).toSorted());
});

describePushCorpus('the channel’s own fields', ({ cases }) => {
  for (const channel of CHANNELS) {
    const own = Object.keys(fieldsOf(channel));
    const others = Object.keys(ALL_FIELDS).filter((field) => !own.includes(field));
    cases([
      accepted(`${channel} keeps all of them`, pushOf(channel, fieldsOf(channel)), {
        message: { body: 'b', ...fieldsOf(channel) },
      }),
      accepted(
        `${channel} of null has none of them`,
        pushOf(channel, Object.fromEntries(own.map((field) => [field, null]))),
        { message: { body: 'b' } },
      ),
      accepted(
        `${channel} ignores those of other channels with a warning`,
        pushOf(channel, Object.fromEntries(others.map((field) => [field, ALL_FIELDS[field]]))),
        {
          message: { body: 'b' },
          warnings: others.map((field) => `/message/${field} unsupported_field`),
        },
      ),
      accepted(
        `${channel} says nothing of those that are null`,
        pushOf(channel, Object.fromEntries([...others, 'unheard'].map((field) => [field, null]))),
      ),
      accepted(
        `${channel} ignores what is wrong with those of other channels`,
        pushOf(channel, Object.fromEntries(others.map((field) => [field, [{ a: 5 }]]))),
        {
          warnings: others.map((field) => `/message/${field} unsupported_field`),
        },
      ),
      ...own.map((field) =>
        rejected(
          `${channel} with a wrong ${field}`,
          pushOf(channel, { [field]: true }),
          `/message/${field} ${CHOICES.has(field) ? 'invalid_value' : 'wrong_type'}`,
        ),
      ),
    ]);
  }
});

describePushCorpus('warnings', ({ cases, check }) => {
  cases([
    accepted(
      'an unknown field of the request',
      { ...email, at: 5 },
      { warnings: ['/at unknown_field'] },
    ),
    accepted('an unknown field of the message', pushOf('SMS', { colour: 'red' }), {
      warnings: ['/message/colour unknown_field'],
      message: { body: 'b' },
    }),
    accepted(
      'an unknown field of an image and of a button',
      pushOf('WEB_PUSH', {
        images: [{ url: 'https://a.example', alt: 'x' }],
        buttons: [{ label: 'Go', link: 'https://a.example', id: 1 }],
      }),
      {
        warnings: ['/message/images/0/alt unknown_field', '/message/buttons/0/id unknown_field'],
        message: {
          body: 'b',
          images: [{ url: 'https://a.example' }],
          buttons: [{ label: 'Go', link: 'https://a.example' }],
        },
      },
    ),
    accepted(
      'names are escaped in pointers',
      { ...email, 'a/b~c': 1 },
      { warnings: ['/a~1b~0c unknown_field'] },
    ),
    accepted(
      'of a message 20,000 levels deep in an unknown field',
      pushText('SMS', `"body":"b","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      { warnings: ['/message/deep unknown_field'] },
    ),
    accepted('U+0000 in an unknown field', pushText('SMS', String.raw`"body":"b","x":"\u0000"`), {
      warnings: ['/message/x unknown_field'],
    }),
  ]);
  check('there are at most 100', async (gateway) => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`f${index}`, index]),
    );

    const { body } = await push(gateway, pushOf('SMS', many, many));

    expect((body as PushAccepted).warnings).toHaveLength(100);
  });
});

describePushCorpus('ttl and expiry', ({ check, cases }) => {
  const expiresIn = (name: string, body: unknown, expectedMs: number): void =>
    check(name, async (gateway) => {
      expect((await push(gateway, body)).status).toBe(200);
      const { createdAt, expiresAt } = gateway.campaigns.at(-1) ?? { createdAt: 0, expiresAt: 0 };
      expect(expiresAt - createdAt).toBe(expectedMs);
    });
  expiresIn('SMS expires after 24 h', pushOf('SMS'), DAY_MS);
  expiresIn('EMAIL after 72 h', pushOf('EMAIL'), 3 * DAY_MS);
  expiresIn('web push after 28 days', pushOf('WEB_PUSH'), 28 * DAY_MS);
  for (const channel of ['APP_PUSH', 'WEB_HOOK', 'IN_APP', 'ON_SITE'] as const)
    expiresIn(`${channel} after 30 days`, pushOf(channel), 30 * DAY_MS);
  expiresIn('a ttl of null is none', pushOf('APP_PUSH', { ttl: null }), 30 * DAY_MS);
  expiresIn('a ttl of 0 is now or never, within 60 s', pushOf('APP_PUSH', { ttl: 0 }), 60_000);
  expiresIn('a ttl of 90 s is 90 s', pushOf('APP_PUSH', { ttl: 90 }), 90_000);
  expiresIn(
    'a longer ttl counts as 2,419,200 s',
    pushOf('APP_PUSH', { ttl: 2_419_201 }),
    2_419_200_000,
  );
  expiresIn(
    'as does one beyond doubles',
    pushText('APP_PUSH', '"body":"b","ttl":99999999999999999999'),
    2_419_200_000,
  );
  expiresIn('a ttl of another channel is ignored', pushOf('SMS', { ttl: 5 }), DAY_MS);
  cases([
    rejected(
      'a ttl below the least double',
      pushText('APP_PUSH', '"body":"b","ttl":-99999999999999999999'),
      '/message/ttl out_of_range',
    ),
  ]);
});

describePushCorpus('integers keep every digit', ({ cases }) => {
  const exact = (name: string, fields: string, message: string, channel: Channel = 'APP_PUSH') =>
    accepted(name, pushText(channel, fields), { message });
  cases([
    exact(
      '2^53 + 1 in customContent',
      '"body":"b","customContent":{"id":9007199254740993}',
      '{"body":"b","customContent":{"id":9007199254740993}}',
    ),
    exact(
      'a Long and more, at any depth',
      '"customContent":{"a":[{"b":-9223372036854775808},123456789012345678901234567890]},"body":"b"',
      '{"body":"b","customContent":{"a":[{"b":-9223372036854775808},123456789012345678901234567890]}}',
    ),
    exact(
      'in a WEB_HOOK body',
      '"body":{"id":9007199254740993}',
      '{"body":{"id":9007199254740993}}',
      'WEB_HOOK',
    ),
    exact(
      'beside digits in strings',
      '"body":"9007199254740993","customContent":{"a":"9007199254740993","b":9007199254740993}',
      '{"body":"9007199254740993","customContent":{"a":"9007199254740993","b":9007199254740993}}',
    ),
    exact(
      'beside strings of brackets and quotes',
      String.raw`"body":"}],\"{","customContent":{"a":"\\\"}","b":9007199254740993}`,
      String.raw`{"body":"}],\"{","customContent":{"a":"\\\"}","b":9007199254740993}}`,
    ),
    exact(
      'under a name written in escapes',
      String.raw`"body":"b","c\u0075stomContent":{"b":9007199254740993}`,
      '{"body":"b","customContent":{"b":9007199254740993}}',
    ),
    exact(
      'of several fields of one name the last',
      '"body":"b","customContent":{"b":1},"customContent":{"b":9007199254740993}',
      '{"body":"b","customContent":{"b":9007199254740993}}',
    ),
    exact(
      'with half a character beside them',
      String.raw`"body":"b\ud800","customContent":{"b":9007199254740993}`,
      '{"body":"b\ufffd","customContent":{"b":9007199254740993}}',
    ),
    accepted(
      'beside a field 20,000 levels deep',
      `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},"recipients":["u1"],"channel":"APP_PUSH","message":{"body":"b","customContent":{"b":9007199254740993}}}`,
      {
        message: '{"body":"b","customContent":{"b":9007199254740993}}',
        warnings: ['/deep unknown_field'],
      },
    ),
    accepted(
      'doubles stay doubles',
      pushText('APP_PUSH', '"body":"b","customContent":{"a":1e300,"b":0.1,"c":-0.0}'),
      { message: { body: 'b', customContent: { a: 1e300, b: 0.1, c: -0 } } },
    ),
  ]);
});

describePushCorpus('purpose and dryRun', ({ cases, check }) => {
  for (const purpose of ['transactional', 'marketing', null, undefined]) {
    check(`purpose ${purpose} is ${purpose ?? 'transactional'}`, async (gateway) => {
      expect((await push(gateway, { ...email, purpose })).status).toBe(200);
      expect(gateway.campaigns.at(-1)?.purpose).toBe(purpose ?? 'transactional');
    });
  }
  cases([
    rejected('purpose unknown', { ...email, purpose: 'Marketing' }, '/purpose invalid_value'),
    rejected('dryRun a string', { ...email, dryRun: 'true' }, '/dryRun wrong_type'),
    rejected('dryRun a number', { ...email, dryRun: 1 }, '/dryRun wrong_type'),
    accepted('dryRun false', { ...email, dryRun: false }),
    accepted('dryRun null', { ...email, dryRun: null }),
  ]);
});

describePushCorpus('Idempotency-Key', ({ check }) => {
  const withKey = (key: string) => ({ 'Idempotency-Key': key });
  const text = JSON.stringify({ ...email, at: 5 });
  check('same key and body: the same answer, marked as a replay', async (gateway) => {
    const before = gateway.campaigns.length;

    const first = await push(gateway, text, withKey('same'));
    const second = await push(gateway, text, withKey('same'));

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
    expect([first, second].map(({ headers }) => headers.get('Idempotent-Replay'))).toEqual([
      null,
      'true',
    ]);
    expect(gateway.campaigns.length - before).toBe(1);
    expect(
      gateway.announced.filter((id) => id === (first.body as PushAccepted).campaignId),
    ).toHaveLength(1);
  });
  check('the same body compressed, or at /v1/push, is the same', async (gateway) => {
    const first = await push(gateway, text, withKey('way'));
    const others = [
      await push(gateway, gzipSync(text), { ...withKey('way'), 'Content-Encoding': 'gzip' }),
      await gateway.post(text, {
        path: '/v1/push',
        headers: { ...SERVER_HEADERS, ...withKey('way') },
      }),
    ];

    expect(others.map((other) => other.text)).toEqual([first.text, first.text]);
  });
  check('other body: 409, and nothing of it is stored', async (gateway) => {
    await push(gateway, text, withKey('other'));
    const before = gateway.campaigns.length;

    // The same meaning, but different bytes.
    const conflict = await push(gateway, `${text} `, withKey('other'));

    expect([conflict.status, conflict.problem.code]).toEqual([409, 'idempotency_conflict']);
    expect(conflict.headers.get('Content-Type')).toBe('application/problem+json');
    expect(gateway.campaigns).toHaveLength(before);
  });
  check('a rejected request does not use up the key', async (gateway) => {
    expect((await push(gateway, pushOf('SMS', { body: '' }), withKey('rejected'))).status).toBe(
      400,
    );

    const { status, headers } = await push(gateway, text, withKey('rejected'));

    expect([status, headers.get('Idempotent-Replay')]).toEqual([200, null]);
  });
  check('other keys, other case, and none are other campaigns', async (gateway) => {
    const answers = [
      await push(gateway, text, withKey('k1')),
      await push(gateway, text, withKey('K1')),
      await push(gateway, text),
      await push(gateway, text),
    ];

    expect(new Set(answers.map(({ body }) => (body as PushAccepted).campaignId)).size).toBe(4);
  });
  check('50 parallel copies: one campaign and 50 equal answers', async (gateway) => {
    const before = gateway.campaigns.length;

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => push(gateway, text, withKey('parallel'))),
    );

    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(
      answers.filter(({ headers }) => headers.get('Idempotent-Replay') === 'true'),
    ).toHaveLength(49);
    expect(gateway.campaigns.length - before).toBe(1);
  });
});

describePushCorpus('the order of checks at /push', ({ check }) => {
  const large = Buffer.alloc(LIMITS.pushBodyBytesMax + 1, 0x20);
  const step = (
    name: string,
    expected: string,
    send: (
      post: (body: unknown, headers: Readonly<Record<string, string>>) => Promise<Answer>,
    ) => Promise<Answer>,
  ): void =>
    check(`${name} is ${expected}`, async (gateway) => {
      const { status, problem } = await send((body, headers) =>
        gateway.post(body, { path: '/push', headers }),
      );
      expect(`${status} ${problem.code}`).toBe(expected);
    });
  step('a wrong key, with a body too large and of no type', '403 forbidden', (post) =>
    post(large, { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong', 'Content-Type': 'text/plain' }),
  );
  step('a Client key, with broken JSON', '403 client_key_forbidden', (post) =>
    post('{', CLIENT_HEADERS),
  );
  step('too large as sent, though of the wrong type', '413 payload_too_large', (post) =>
    post(large, { ...SERVER_HEADERS, 'Content-Type': 'text/plain' }),
  );
  step('the wrong type, though broken JSON', '415 unsupported_media_type', (post) =>
    post('{', { ...SERVER_HEADERS, 'Content-Type': 'text/plain' }),
  );
  step('too large decompressed, though no JSON', '413 payload_too_large', (post) =>
    post(gzipSync(large), { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' }),
  );
  step('no UTF-8', '400 invalid_json', (post) => post(Buffer.from([0xff]), SERVER_HEADERS));
  step('broken JSON, though the Idempotency-Key is too long', '400 invalid_json', (post) =>
    post('{', { ...SERVER_HEADERS, 'Idempotency-Key': 'k'.repeat(129) }),
  );
  step('no push', '400 validation_failed', (post) => post('{}', SERVER_HEADERS));
});
