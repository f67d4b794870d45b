import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { APPLICATION_ID } from './support/pages.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const NAMES = [
  'ingest',
  'ingestClient',
  'ingestClientAddress',
  'ingestBytes',
  'push',
  'sdk',
  'sdkDevice',
];

test('every rate limit has fields; values are saved, empty fields reset to the default, and an error is shown at its field', async () => {
  const fault = {
    status: 400,
    json: {
      type: 'urn:tidings:error:validation_failed',
      title: 'x',
      status: 400,
      code: 'validation_failed',
      requestId: 'x',
      errors: [
        {
          pointer: '/settings/rates/ingestBytes/burst',
          code: 'required',
          expected: 'a whole number',
        },
      ],
    },
  };
  await using visit = await pages.visit({
    role: 'owner',
    answers: { ...LONG_ANSWERS, [`PATCH applications/${APPLICATION_ID}`]: fault },
  });
  const { page } = visit;
  await visit.open('/settings');
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Rate limits' }) });
  await card.getByLabel('Events, Client keys: requests per second').fill('20');
  await card.getByLabel('Events, Client keys: burst (requests)').fill('40');
  await card.getByLabel('Request bodies, per key type: bytes per second').fill('1000000');
  expect(await card.getByRole('textbox').count()).toBe(2 * NAMES.length);

  await card.getByRole('button', { name: 'Save rate limits' }).click();

  await eventually(async () =>
    expect(
      await card
        .getByLabel('Request bodies, per key type: burst (bytes)')
        .getAttribute('aria-invalid'),
    ).toBe('true'),
  );
  const [call] = visit.calls.filter(({ name }) => name.startsWith('PATCH applications'));
  expect(call?.body).toEqual({
    settings: {
      rates: {
        ...Object.fromEntries(NAMES.map((name) => [name, null])),
        ingestClient: { perSecond: 20, burst: 40 },
        ingestBytes: { perSecond: 1_000_000, burst: '' },
      },
    },
  });
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
