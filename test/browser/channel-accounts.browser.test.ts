import { describe, expect, test } from '@jest/globals';
import { channelEndpoints } from '@tidings/api-spec/endpoints/channels';
import type { ChannelState } from '@tidings/web/src/api/types.ts';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import { createValidator } from '@tidings/validation';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { IDLE_HEALTH } from './support/channel-health.ts';
import { EMAIL_ACCOUNTS, SMS_ACCOUNTS } from './support/channel-accounts.ts';
import type { Answers, Call } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visit = (answers: Answers, role: MemberRole = 'owner') => pages.visit({ role, answers });

type Written = {
  readonly accounts: readonly {
    readonly name: string;
    readonly provider: string;
    readonly share?: number;
    readonly countries?: readonly string[];
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
};

const notValid = (errors: unknown) => ({
  status: 400,
  json: {
    type: 'about:blank',
    title: 'Bad request',
    status: 400,
    code: 'validation_failed',
    detail: 'The settings are not valid.',
    requestId: '',
    errors,
  },
});

/** A channel that has what was written last, if it is valid; new accounts are untested until their test send. */
function storing(initial: ChannelState): Answers {
  let state = initial;
  const { channel } = initial;
  const validate = createValidator(channelEndpoints(channel).write.body ?? {});
  return {
    [`GET channels/${channel}`]: () => ({ json: state }),
    [`PUT channels/${channel}`]: ({ body }) => {
      const validation = validate(body);
      if (!validation.ok) return notValid(validation.errors);
      const { accounts, ...settings } = body as Written;
      const before = new Map(state.accounts?.map((each) => [each.name, each]));
      state = {
        ...state,
        settings,
        accounts: accounts.map((each) => ({
          status: 'untested',
          testedAt: null,
          ...before.get(each.name),
          ...each,
        })),
      };
      return { json: state };
    },
    [`POST channels/${channel}/test`]: ({ body }) => {
      const { account } = body as { readonly account: string };
      state = {
        ...state,
        accounts: (state.accounts ?? []).map((each) =>
          each.name === account ? { ...each, status: 'ready', testedAt: Date.now() } : each,
        ),
      };
      return { json: { ok: true, status: 'sent', providerCode: '250', durationMs: 312 } };
    },
  };
}

const listNames = (page: Page): Promise<string[]> =>
  page.locator('.account-name').allTextContents();
const bodyOf = (calls: readonly Call[], start = 'PUT') =>
  calls.findLast(({ name }) => name.startsWith(start))?.body as Written;
const row = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name, exact: true }) });
const openAccount = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click();

async function save(page: Page): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PUT'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  await answer.finished();
}

test('a channel with one account gets a second one, which is tested on its own', async () => {
  const settings = { host: 'smtp.example.com', port: 587, security: 'starttls' };
  const fromAddress = 'shop@example.com';
  await using opened = await visit(
    storing({
      channel: 'EMAIL',
      status: 'ready',
      health: IDLE_HEALTH,
      testedAt: 0,
      settings: { ...settings, fromAddress },
      accounts: [{ name: 'main', provider: 'smtp', status: 'ready', testedAt: 0, settings }],
    }),
  );
  const { page, calls } = opened;
  await opened.open('/channels/EMAIL');
  await page.getByLabel('Sender name').fill('Shop');
  await page.getByRole('button', { name: 'Add an account' }).click();
  expect(await page.getByLabel('Provider', { exact: true }).count()).toBe(0);
  await page.getByRole('dialog').getByLabel('Name').fill('main');
  await page.getByRole('button', { name: 'Add account' }).click();
  await page.getByText('Another account has this name').waitFor();
  await page.getByRole('dialog').getByLabel('Name').fill('spare');
  await page.getByRole('button', { name: 'Add account' }).click();

  // What was typed before stays. The settings for all accounts stand apart.
  expect(await listNames(page)).toEqual(['main', 'spare']);
  expect(await page.getByLabel('Sender name').inputValue()).toBe('Shop');
  const spare = page.getByRole('group', { name: 'Settings of spare' });
  expect(await spare.getByLabel('SMTP host').evaluate((field) => field.matches(':focus'))).toBe(
    true,
  );
  await page.keyboard.type('spare.example.com');
  await spare.getByLabel('Port').fill('465');
  await choose(spare, 'Encryption', 'TLS');
  expect(await page.getByLabel('Sender address').count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Send a test by spare' }).count()).toBe(0);
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await save(page);

  expect(bodyOf(calls)).toEqual({
    fromAddress,
    fromName: 'Shop',
    accounts: [
      { name: 'main', provider: 'smtp', settings },
      {
        name: 'spare',
        provider: 'smtp',
        settings: { host: 'spare.example.com', port: 465, security: 'tls' },
      },
    ],
  });
  await page.getByText('Saved. Now send a test by spare.').waitFor();
  await row(page, 'spare').getByText('Untested').waitFor();
  await page.getByText('1 of 2 accounts can send.').waitFor();

  await page.getByRole('button', { name: 'Send a test by spare' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('me@example.org');
  await page.keyboard.press('Enter');
  await page.getByText('Test sent – account ready').waitFor();
  expect(bodyOf(calls, 'POST')).toEqual({ to: 'me@example.org', account: 'spare' });
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByText('All 2 accounts can send.').waitFor();
  await row(page, 'spare').getByText('Ready').waitFor();
});

describe('several accounts of a channel', () => {
  test('each shows why it does not send; the channel says that some do', async () => {
    await using opened = await visit(storing(SMS_ACCOUNTS));
    const { page } = opened;
    await opened.open('/channels/SMS');

    await page.getByText('1 of 3 accounts can send.').waitFor();
    expect(await listNames(page)).toEqual(['twilio', 'twilio-us', 'german']);
    await row(page, 'twilio').getByText('Twilio · share 70').waitFor();
    await row(page, 'twilio').getByText('Ready').waitFor();
    await row(page, 'twilio-us').getByText('Paused').waitFor();
    await row(page, 'twilio-us').getByText('Provider auth').waitFor();
    await row(page, 'german').getByText('Vonage · DE, AT, CH').waitFor();
    await row(page, 'german')
      .getByText(/^Next try in /)
      .waitFor();
    await openAccount(page, 'twilio-us');
    await page.getByText('20003 Authenticate').waitFor();
    await page.getByText(/Meanwhile the other accounts send\.$/).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('are put in another order by the keyboard, and get shares and countries', async () => {
    await using opened = await visit(storing(SMS_ACCOUNTS));
    const { page, calls } = opened;
    await opened.open('/channels/SMS');
    await page.getByRole('button', { name: 'Move german up' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');

    // At the top only the other direction is left.
    expect(await listNames(page)).toEqual(['german', 'twilio', 'twilio-us']);
    expect(
      await page
        .getByRole('button', { name: 'Move german down' })
        .evaluate((button) => button.matches(':focus')),
    ).toBe(true);
    await openAccount(page, 'twilio-us');
    const settings = page.getByRole('group', { name: 'Settings of twilio-us' });
    await settings.getByLabel('Share').fill('10');
    await settings.getByLabel('Countries').fill('us, ca');
    await settings.getByText('United States, Canada').waitFor();
    await save(page);

    const { accounts } = bodyOf(calls);
    expect(accounts.map(({ name, share, countries }) => ({ name, share, countries }))).toEqual([
      { name: 'german', share: undefined, countries: ['DE', 'AT', 'CH'] },
      { name: 'twilio', share: 70, countries: undefined },
      { name: 'twilio-us', share: 10, countries: ['US', 'CA'] },
    ]);
    expect(accounts.map(({ settings: each }) => each)).toEqual(
      [2, 0, 1].map((index) => SMS_ACCOUNTS.accounts[index]?.settings),
    );
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  test('one that is added has its provider chosen first, and sends no secret of another', async () => {
    await using opened = await visit(storing(SMS_ACCOUNTS));
    const { page, calls } = opened;
    await opened.open('/channels/SMS');
    await page.getByRole('button', { name: 'Add an account' }).click();
    await choose(page, 'Provider', 'Vonage');
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('vonage');
    await page.getByRole('button', { name: 'Add account' }).click();
    await row(page, 'vonage').getByText('Not saved').waitFor();
    await row(page, 'vonage').getByText('/cb/sms/vonage/inbound').waitFor();
    await save(page);

    expect(bodyOf(calls).accounts[3]).toEqual({ name: 'vonage', provider: 'vonage', settings: {} });
  });

  test('one that is renamed keeps its secrets', async () => {
    await using opened = await visit(storing(SMS_ACCOUNTS));
    const { page, calls } = opened;
    await opened.open('/channels/SMS');
    await openAccount(page, 'twilio');
    const settings = page.getByRole('group', { name: 'Settings of twilio', exact: true });
    await settings.getByPlaceholder('Saved – type to replace').waitFor();
    await settings.getByLabel('Name').fill('first');

    await page.getByText('Saved as “twilio”. Its settings stay as they are.').waitFor();
    await save(page);
    expect(bodyOf(calls).accounts[0]).toMatchObject({
      name: 'first',
      previousName: 'twilio',
      settings: { authToken: '********' },
    });
  });

  test('one is removed after a question; the last one is alone, and stays ready', async () => {
    await using opened = await visit({
      ...storing(EMAIL_ACCOUNTS),
      'PUT channels/EMAIL': {
        json: {
          ...EMAIL_ACCOUNTS,
          status: 'untested',
          settings: { ...EMAIL_ACCOUNTS.settings, ...EMAIL_ACCOUNTS.accounts[0].settings },
          accounts: [{ ...EMAIL_ACCOUNTS.accounts[0], status: 'untested' }],
        },
      },
    });
    const { page, calls } = opened;
    await opened.open('/channels/EMAIL');
    await openAccount(page, 'spare');
    await page.getByRole('button', { name: 'Remove account spare' }).click();
    await page.getByText('“main” then sends alone.').waitFor();
    await page.getByRole('button', { name: 'Remove account', exact: true }).click();

    await page.getByRole('heading', { name: 'Test send' }).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await listNames(page)).toEqual(['main', 'spare']);
    await openAccount(page, 'spare');
    await page.getByRole('button', { name: 'Remove account spare' }).click();
    await page.getByRole('button', { name: 'Remove account', exact: true }).click();
    await save(page);

    const { name, provider, settings } = EMAIL_ACCOUNTS.accounts[0];
    expect(bodyOf(calls)).toEqual({
      ...EMAIL_ACCOUNTS.settings,
      accounts: [{ name, provider, settings }],
    });
    await page.getByText('Saved. Now send a test.').waitFor();
  });

  test('an error of the service opens its account, and stands at its field', async () => {
    const errors = [
      { pointer: '/accounts/2/settings/apiKey', code: 'required', expected: 'letters and digits' },
      { pointer: '/accounts/2/countries/1', code: 'invalid_value', expected: 'a country' },
      { pointer: '/accounts/2/settings', code: 'exactly_one_of', expected: 'one sender' },
      { pointer: '/accounts', code: 'invalid_value', expected: 'an account without countries' },
    ];
    await using opened = await visit({
      ...storing(SMS_ACCOUNTS),
      'PUT channels/SMS': notValid(errors),
    });
    const { page } = opened;
    await opened.open('/channels/SMS');
    await page.getByRole('button', { name: 'german', exact: true }).waitFor();
    await save(page);

    const settings = page.getByRole('group', { name: 'Settings of german' });
    await settings.waitFor();
    const isInvalid = (label: string) => settings.getByLabel(label).getAttribute('aria-invalid');
    expect([await isInvalid('API key'), await isInvalid('Countries')]).toEqual(['true', 'true']);
    await eventually(async () =>
      expect(
        await settings.getByLabel('API key').evaluate((field) => field.matches(':focus')),
      ).toBe(true),
    );
    await page.locator('.part-error', { hasText: 'an account without countries' }).waitFor();
    await settings.locator('.part-error', { hasText: 'one sender' }).waitFor();
    // Nothing is left for the list of other errors.
    expect(await page.getByRole('alert').getByRole('listitem').count()).toBe(0);

    // The places that the errors name are others now.
    await page.getByRole('button', { name: 'Move german up' }).click();
    expect(await page.locator('[aria-invalid=true], .part-error').count()).toBe(0);
  });

  test('a role that may not change them reads their settings', async () => {
    await using opened = await visit(storing(SMS_ACCOUNTS), 'viewer');
    const { page } = opened;
    await opened.open('/channels/SMS');
    await openAccount(page, 'german');

    const settings = page.getByRole('group', { name: 'Settings of german' });
    expect(await settings.getByLabel('API key').isDisabled()).toBe(true);
    for (const name of [/^Move/, /^Remove/, 'Save', 'Add an account', /^Send a test/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });
});
