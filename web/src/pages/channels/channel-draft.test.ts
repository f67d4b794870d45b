import { describe, expect, test } from '@jest/globals';
import type { ChannelState } from '../../api/types.ts';
import {
  newAccount,
  providerForm,
  startDraft,
  suggestName,
  toBody,
  withAccount,
  withProvider,
  withValue,
  type AccountDraft,
  type ChannelDraft,
} from './channel-draft.ts';
import { listChannelFields } from './channel-fields.ts';

const server = { host: 'smtp.example.com', port: 587, security: 'tls', password: '********' };
const account = (name: string) =>
  ({ name, provider: 'smtp', status: 'ready', testedAt: 0, settings: server }) as const;
const shared = { fromAddress: 'shop@example.com', bounceSecret: '********' };
const health = {
  state: 'idle',
  since: null,
  attempts: 0,
  failed: 0,
  unknown: 0,
  reason: null,
} as const;
const EMAIL: ChannelState = {
  health,
  channel: 'EMAIL',
  status: 'ready',
  settings: shared,
  accounts: [account('main'), { ...account('spare'), share: 30 }],
};
const twilio = { accountSid: `AC${'0'.repeat(32)}`, authToken: '********', from: '+15005550006' };
const SMS: ChannelState = {
  health,
  channel: 'SMS',
  status: 'ready',
  settings: { provider: 'twilio', ...twilio },
  accounts: [{ name: 'main', provider: 'twilio', status: 'ready', testedAt: 0, settings: twilio }],
};
const draft = startDraft(EMAIL);
const [main, spare] = draft.accounts as [AccountDraft, AccountDraft];
const only = (one: AccountDraft): ChannelDraft => ({ ...draft, accounts: [one] });

describe('what is written of a channel', () => {
  test('with several accounts is a list, beside the settings for all; secrets stay as they are', () => {
    expect(toBody(EMAIL, draft)).toEqual({
      ...shared,
      accounts: [
        { name: 'main', provider: 'smtp', settings: server },
        { name: 'spare', provider: 'smtp', settings: server, share: 30 },
      ],
    });
  });

  test('with one account of the name main is flat', () => {
    expect(toBody(SMS, startDraft(SMS))).toEqual({ provider: 'twilio', ...twilio });
  });

  test('with one that is left of several is a list of one, so that it stays ready', () => {
    for (const [account, name] of [
      [{ ...main, share: '5' }, 'main'],
      [spare, 'spare'],
    ] as const)
      expect(toBody(EMAIL, only(account))).toEqual({
        ...shared,
        accounts: [{ name, provider: 'smtp', settings: server }],
      });
  });

  test('of an account that was renamed says by which name its secrets are stored', () => {
    expect(toBody(EMAIL, only({ ...main, name: 'new' }))['accounts']).toEqual([
      { name: 'new', previousName: 'main', provider: 'smtp', settings: server },
    ]);
  });

  test('has countries as codes, and a share that is no number as it was typed', () => {
    const sms = startDraft(SMS);
    const added = newAccount('SMS', { name: 'vonage', provider: 'vonage' });
    const body = toBody(SMS, {
      ...sms,
      accounts: [...sms.accounts, { ...added, countries: 'de, at;CH ', share: 'half' }],
    });

    expect(body['accounts']).toEqual([
      { name: 'main', provider: 'twilio', settings: twilio },
      {
        name: 'vonage',
        provider: 'vonage',
        settings: {},
        share: 'half',
        countries: ['DE', 'AT', 'CH'],
      },
    ]);
  });
});

test('another provider has nothing of the stored one; the stored one has its settings again', () => {
  const [stored] = startDraft(SMS).accounts as [AccountDraft];
  const other = withProvider(SMS, stored, 'vonage');

  expect(Object.values(other.values).join('')).toBe('');
  expect(withProvider(SMS, other, 'twilio').values).toEqual(stored.values);
});

test('a provider of another version is shown as the first, with nothing stored', () => {
  const state = { ...SMS, accounts: [{ ...SMS.accounts?.[0], provider: 'pigeon' }] };

  const [shown] = startDraft(state as ChannelState).accounts;

  expect([shown?.provider, shown?.values['accountSid']]).toEqual(['twilio', '']);
});

test('a change is of one account, or of all', () => {
  const fields = listChannelFields(providerForm('EMAIL', 'smtp'));
  const write = (name: string) =>
    fields
      .filter((field) => field.name === name)
      .reduce((all, field) => withValue(all, spare, { field, value: 'x' }), draft);

  expect(write('host').accounts.map(({ values }) => values['host'])).toEqual([server.host, 'x']);
  expect(write('fromName').shared['fromName']).toBe('x');
  expect(withAccount(draft, main, { name: 'first' }).accounts.map(({ name }) => name)).toEqual([
    'first',
    'spare',
  ]);
});

test('a suggested name is of the provider, and free', () => {
  expect(suggestName('smtp', ['main'])).toBe('smtp');
  expect(suggestName('smtp', ['smtp', 'smtp-2'])).toBe('smtp-3');
});
