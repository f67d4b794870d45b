import { expect, test } from '@jest/globals';
import type { ChannelState } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { IDLE_HEALTH } from './support/channel-health.ts';
import type { Answers, Call } from './support/answer-calls.ts';
import { choose, picker } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers) => pages.visit({ role: 'owner', answers });
const SMS: ChannelState = {
  channel: 'SMS',
  status: 'ready',
  health: IDLE_HEALTH,
  testedAt: 0,
  settings: {
    provider: 'twilio',
    accountSid: `AC${'0'.repeat(32)}`,
    from: '+15005550006',
    authToken: '********',
  },
};
/** Labels of the settings, in order, without those of the test send. */
const listLabels = async (page: Page): Promise<string[]> =>
  (await page.locator('.card').first().locator('label').allTextContents()).map((text) =>
    text.replace(' (optional)', ''),
  );
const bodyOf = (calls: readonly Call[]) =>
  calls.findLast(({ name }) => name === 'PUT channels/SMS')?.body;

test('the first field chooses the provider; the others follow it, and no secret is kept', async () => {
  await using opened = await visit({
    'GET channels/SMS': { json: SMS },
    'PUT channels/SMS': { json: { ...SMS, status: 'untested', testedAt: null } },
  });
  const { page, calls } = opened;
  await opened.open('/channels/SMS');
  await picker(page, 'Provider').waitFor();

  expect(await listLabels(page)).toEqual([
    'Provider',
    'Twilio account SID',
    'Auth token',
    'Sender',
    'Messaging service SID',
    'Max sends per second',
    'API URL',
  ]);
  await save(page);
  expect(bodyOf(calls)).toEqual(SMS.settings);

  await page.getByText('Leave blank to keep the current value.').waitFor();
  await choose(page, 'Provider', 'Vonage');
  await page.getByText('Secrets are hidden once they are saved.').waitFor();
  expect(await listLabels(page)).toEqual([
    'Provider',
    'API key',
    'Application ID',
    'Private key',
    'Signature secret',
    'Sender',
    'Max sends per second',
    'API URL',
  ]);
  await page.getByText('/cb/sms/vonage/inbound').waitFor();
  expect(await page.getByPlaceholder('Saved').count()).toBe(0);
  await page.getByLabel('API key').fill('a1b2c3d4');
  await page.getByLabel('Sender').fill('Shop');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await save(page);
  // The rest is missing: the service says so.
  expect(bodyOf(calls)).toEqual({ provider: 'vonage', apiKey: 'a1b2c3d4', from: 'Shop' });

  await choose(page, 'Provider', 'Twilio');
  expect(await page.getByLabel('Twilio account SID').inputValue()).toBe(SMS.settings['accountSid']);
  expect(await page.getByLabel('Auth token').inputValue()).toBe('');
  await page.getByPlaceholder('Saved').waitFor();
});

test('a fault of the service stands at its field', async () => {
  await using opened = await visit({
    'GET channels/SMS': {
      json: { channel: 'SMS', status: 'not_configured', health: IDLE_HEALTH, settings: {} },
    },
    'PUT channels/SMS': {
      status: 400,
      json: {
        type: 'about:blank',
        title: 'Bad request',
        status: 400,
        code: 'validation_failed',
        detail: 'The settings are not valid.',
        requestId: '',
        errors: [{ pointer: '/apiKey', code: 'required', expected: 'string' }],
      },
    },
  });
  const { page } = opened;
  await opened.open('/channels/SMS');
  await choose(page, 'Provider', 'Vonage');

  await page.getByRole('button', { name: 'Save' }).click();

  await page.locator('[aria-invalid=true]').waitFor();
  expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
});

test('a channel with one provider has no choice', async () => {
  await using opened = await visit({
    'GET channels/EMAIL': {
      json: { channel: 'EMAIL', status: 'not_configured', health: IDLE_HEALTH, settings: {} },
    },
  });
  const { page } = opened;
  await opened.open('/channels/EMAIL');
  await page.getByLabel('SMTP host').waitFor();

  expect(await page.getByLabel('Provider', { exact: true }).count()).toBe(0);
});

async function save(page: Page): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PUT'),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  await answer.finished();
  await page.locator('fieldset:not([disabled]) button:not([disabled])').first().waitFor();
}
