import { describe, expect, test } from '@jest/globals';
import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import { readPush } from './read-push.ts';

const read = (body: object) =>
  readPush({
    applicationId: 'a',
    headers: {},
    body: Buffer.from(JSON.stringify({ recipients: ['ada'], ...body })),
  });

async function faultsOf(body: object): Promise<string[]> {
  try {
    await read(body);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('a push by templates', () => {
  test('names one, or one of its versions', async () => {
    expect(await read({ channel: 'SMS', template: 'welcome' })).toMatchObject({
      templateNames: [{ slug: 'welcome', version: null, share: 1, pointer: '/template' }],
      isPersonalised: false,
      warnings: [],
    });
    expect(await read({ channel: 'SMS', template: 'welcome@12', personalize: true })).toMatchObject(
      {
        templateNames: [{ slug: 'welcome', version: 12 }],
        isPersonalised: false,
      },
    );
  });

  test('splits its recipients', async () => {
    const split = [
      { template: 'a', share: 70 },
      { template: 'b@2', share: 30 },
    ];

    expect((await read({ channel: 'SMS', split })).templateNames).toEqual([
      { slug: 'a', version: null, channel: 'SMS', share: 70, pointer: '/split/0/template' },
      { slug: 'b', version: 2, channel: 'SMS', share: 30, pointer: '/split/1/template' },
    ]);
  });

  test.each([
    ['nothing to send', { channel: 'SMS' }, ['/message required']],
    ['null for all', { channel: 'SMS', template: null, split: null }, ['/message required']],
    [
      'a message and a template',
      { channel: 'SMS', template: 'a', message: { body: 'x' } },
      ['/template exactly_one_of'],
    ],
    [
      'a template twice in a split',
      {
        channel: 'SMS',
        split: [
          { template: 'a', share: 1 },
          { template: 'a@1', share: 1 },
          { template: 'a', share: 2 },
        ],
      },
      ['/split/2/template invalid_value'],
    ],
    [
      'a template and a split',
      {
        channel: 'SMS',
        template: 'a',
        split: [
          { template: 'a', share: 1 },
          { template: 'b', share: 1 },
        ],
      },
      ['/split exactly_one_of'],
    ],
    ['no slug', { channel: 'SMS', template: 'No Slug' }, ['/template invalid_value']],
    ['no version', { channel: 'SMS', template: 'a@0' }, ['/template invalid_value']],
    ['a number', { channel: 'SMS', template: 5 }, ['/template wrong_type']],
    ['a split of none', { channel: 'SMS', split: [] }, ['/split empty']],
    [
      'a split of one',
      { channel: 'SMS', split: [{ template: 'a', share: 1 }] },
      ['/split out_of_range'],
    ],
    [
      'a share of nothing',
      {
        channel: 'SMS',
        split: [
          { template: 'a', share: 0 },
          { template: 'b', share: 1 },
        ],
      },
      ['/split/0/share out_of_range'],
    ],
    [
      'a share without a template',
      { channel: 'SMS', split: [{ share: 1 }, { template: 'b', share: 1 }] },
      ['/split/0/template required'],
    ],
    ['an unknown channel', { channel: 'FAX', template: 'a' }, ['/channel invalid_value']],
    [
      'personalize as text',
      { channel: 'SMS', message: { body: 'x' }, personalize: 'yes' },
      ['/personalize wrong_type'],
    ],
  ])('with %s is refused', async (_what, body, faults) => {
    expect(await faultsOf(body)).toEqual(faults);
  });
});

test('the names of a split above its limit are not compared', async () => {
  const split = Array.from({ length: 200_000 }, (_, index) => ({
    template: `t${index}`,
    share: 1,
  }));
  const before = process.cpuUsage();

  expect(await faultsOf({ channel: 'SMS', split })).toEqual(['/split too_many']);
  // Comparing each with all others takes some ten seconds.
  expect(process.cpuUsage(before).user).toBeLessThan(4_000_000);
});

test('a split of one template is a fault of the list, and says how many it needs', async () => {
  const body = { channel: 'SMS', split: [{ template: 'a', share: 1 }] };

  await expect(read(body)).rejects.toThrow(
    expect.objectContaining({
      errors: [{ pointer: '/split', code: 'out_of_range', expected: 'at least 2 items' }],
    }),
  );
});

describe('a push with personalize', () => {
  const message = { title: '{{ user.firstName }}', body: '<p>{{ user.city }}' };

  test('takes its message for a template, without warnings', async () => {
    expect(await read({ channel: 'EMAIL', message, personalize: true })).toMatchObject({
      message,
      templateNames: null,
      isPersonalised: true,
      warnings: [],
    });
  });

  test.each([[undefined], [null], [false]])(
    '%s: a {{ is text, with a warning',
    async (personalize) => {
      const push = await read({ channel: 'EMAIL', message, personalize });

      expect(push.isPersonalised).toBe(false);
      expect(push.warnings.map(({ code, pointer }) => `${pointer} ${code}`)).toEqual([
        '/message/title unknown_placeholder',
        '/message/body unknown_placeholder',
      ]);
    },
  );

  test('takes Liquid that is no text without it', async () => {
    const broken = { body: '{% if %}{{' };

    expect(await faultsOf({ channel: 'SMS', message: broken })).toEqual([]);
    expect(await faultsOf({ channel: 'SMS', message: broken, personalize: true })).toEqual([
      '/message/body template_syntax',
    ]);
  });

  test('takes links that are variables, and no others that are none', async () => {
    const push = (url: string) => ({
      channel: 'WEB_PUSH',
      message: { body: 'x', url },
      personalize: true,
    });

    expect(await faultsOf(push('{{ user.customAttributes.site }}'))).toEqual([]);
    expect(await faultsOf(push('javascript:alert(1)'))).toEqual(['/message/url invalid_value']);
  });

  test.each([
    ['an unknown variable', { body: '{{ name }}' }, ['/message/body unknown_variable']],
    [
      'a value in a script',
      { body: '<p><script>{{ user.city }}</script>' },
      ['/message/body unsafe_place'],
    ],
    ['no body', { title: '{{ user.city }}' }, ['/message/body required']],
    ['NUL', { body: '\0{{ user.city }}' }, ['/message/body nul_not_allowed']],
  ])('with %s is refused', async (_what, own, faults) => {
    expect(await faultsOf({ channel: 'EMAIL', message: own, personalize: true })).toEqual(faults);
  });
});

test('the specification’s form is read as ever', async () => {
  const { templateNames, isPersonalised, ...push } = await read({
    channel: 'SMS',
    message: { body: 'Hi' },
  });

  expect([templateNames, isPersonalised]).toEqual([null, false]);
  expect(push).toMatchObject({ message: { body: 'Hi' }, recipients: ['ada'], warnings: [] });
});

describe('a personalised push with faults', () => {
  test.each([
    ['images', [null], ['/message/images/0 wrong_type']],
    ['images', [5, null], ['/message/images/0 wrong_type', '/message/images/1 wrong_type']],
    ['images', null, []],
    ['buttons', [null], ['/message/buttons/0 wrong_type']],
    [
      'buttons',
      [{ label: '{{ nope }}' }, null, { label: '{{ nope }}', link: '{{ nope }}' }],
      [
        '/message/buttons/0/label unknown_variable',
        '/message/buttons/0/link required',
        '/message/buttons/1 wrong_type',
        '/message/buttons/2/label unknown_variable',
        '/message/buttons/2/link unknown_variable',
      ],
    ],
  ])('%s %j: the schema and the templates report each fault once', async (field, items, faults) => {
    for (const channel of ['WEB_PUSH', 'APP_PUSH'])
      expect(
        (
          await faultsOf({ channel, message: { body: 'x', [field]: items }, personalize: true })
        ).toSorted(),
      ).toEqual(faults);
  });

  test('what the schema refuses is not compiled, and the rest is', async () => {
    const images = Array.from({ length: 5_000 }, () => ({ url: '{{ nope }}' }));
    const customContent = { a: Object.fromEntries(images.map((_, index) => [`k${index}`, 'x'])) };
    const message = { title: '{{ nope }}', body: 'x', images, customContent };

    expect(await faultsOf({ channel: 'APP_PUSH', message, personalize: true })).toEqual([
      '/message/images too_many',
      '/message/customContent too_many',
      '/message/title unknown_variable',
    ]);
  });

  test('nothing is compiled after more faults than an answer has', async () => {
    const recipients = Array.from({ length: 200 }, () => 5);
    const message = { title: '{{ nope }}', body: 'x', images: [null] };
    const faults = await faultsOf({ channel: 'WEB_PUSH', message, personalize: true, recipients });

    expect(faults).toHaveLength(FIELD_ERRORS_MAX + 1);
    expect(new Set(faults.map((fault) => fault.split('/')[1]))).toEqual(new Set(['recipients']));
  });

  test('custom content of any depth is a fault', async () => {
    const levels = 100_000;
    const text = JSON.stringify({
      recipients: ['ada'],
      channel: 'APP_PUSH',
      personalize: true,
      message: { body: 'x', customContent: '@' },
    }).replace('"@"', `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

    await expect(
      readPush({ applicationId: 'a', headers: {}, body: Buffer.from(text) }),
    ).rejects.toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ code: 'too_deep' })] }),
    );
  });
});
