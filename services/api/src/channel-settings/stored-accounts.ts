import {
  accountsOf,
  type AccountToWrite,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { HIDDEN } from '@tidings/api-spec/hidden';
import { FIRST_ACCOUNT } from '@tidings/contracts/channels/account-names';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  providerOf,
} from '@tidings/contracts/channels/provider';
import { listSecretSettings } from '@tidings/contracts/channels/settings/setting';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { isCountry } from '@tidings/people/e164';
import { AppError } from '@tidings/platform';
import { isDeepStrictEqual } from 'node:util';

type Input = Readonly<Record<string, unknown>>;
type Accounts = readonly [AccountToWrite, ...AccountToWrite[]];

/** One account as the request has it. */
type AccountInput = {
  readonly name: string;
  /** The name that it was stored by: it keeps its secrets. */
  readonly previousName?: string;
  readonly provider?: string;
  readonly settings: Input;
  readonly share?: number;
  readonly countries?: readonly string[];
};

/**
 * The accounts to store, from the request and those that are stored: one without a list of accounts.
 * An account that stays as it is stays ready. @throws AppError validation_failed, conflict
 */
export function toStoredAccounts(
  channel: Channel,
  input: Input,
  before: ChannelSettings | null,
): Accounts {
  const { accounts, ...ofChannel } = input;
  if (!Array.isArray(accounts)) {
    const { settings, secrets } = split(channel, input, before);
    return [{ ...UNTESTED, name: FIRST_ACCOUNT, settings, secrets, share: null, countries: null }];
  }
  const inputs = accounts as readonly AccountInput[];
  rejectFaults(inputs);
  const lost: FieldError[] = [];
  const shared = split(channel, ofChannel, before);
  lost.push(...lostSecrets(ofChannel, shared.secrets, ''));
  const [first, ...others] = inputs.map((account, index): AccountToWrite => {
    const { name, previousName = name, share = null, countries = null } = account;
    const stored = namedIn(before, previousName);
    const own = split(
      channel,
      { ...account.settings, ...providerSetting(channel, account) },
      stored,
    );
    lost.push(...lostSecrets(account.settings, own.secrets, `/accounts/${index}/settings`));
    const whole = {
      settings: { ...shared.settings, ...own.settings },
      secrets: { ...shared.secrets, ...own.secrets },
    };
    return {
      ...(isAsBefore(channel, whole, stored) ? statusOf(stored) : UNTESTED),
      name,
      // The first row has the settings of the channel too.
      ...(index === 0 ? whole : own),
      share,
      countries,
    };
  });
  if (lost.length > 0)
    throw new AppError('validation_failed', 'The settings are not valid.', { errors: lost });
  if (first === undefined) throw new Error('the schema demands an account');
  return [first, ...others];
}

/** Masks that keep nothing: there is no secret of this account at this provider. */
function lostSecrets(
  input: Input,
  kept: Readonly<Record<string, string>>,
  pointer: string,
): FieldError[] {
  return Object.keys(input)
    .filter((field) => input[field] === HIDDEN && kept[field] === undefined)
    .map((field) =>
      fault(`${pointer}/${field}`, `the secret: none is stored that ${HIDDEN} keeps`),
    );
}

const UNTESTED = { status: 'untested', testedAt: null } as const;
const statusOf = (stored: ChannelAccount | null): Pick<ChannelAccount, 'status' | 'testedAt'> =>
  stored === null ? UNTESTED : { status: stored.status, testedAt: stored.testedAt };

const namedIn = (settings: ChannelSettings | null, name: string): ChannelAccount | null =>
  settings === null
    ? null
    : (accountsOf(settings).find((account) => account.name === name) ?? null);

/** The setting that names the provider, also where stored settings leave it out. */
function providerSetting(
  channel: Channel,
  { provider, settings }: Pick<AccountInput, 'provider' | 'settings'>,
): Input {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  return hasSeveralProviders(providers)
    ? { [PROVIDER_SETTING]: provider ?? providerNameOf(providers, settings) }
    : {};
}

/** What the schema cannot say. @throws AppError validation_failed */
function rejectFaults(accounts: readonly AccountInput[]): void {
  const names = accounts.map(({ name }) => name);
  const errors = accounts.flatMap(({ name, countries = [] }, index): FieldError[] => [
    ...(names.indexOf(name) === index
      ? []
      : [fault(`/accounts/${index}/name`, 'a name that no other account has')]),
    ...countries.flatMap((country, at) =>
      isCountry(country)
        ? []
        : [fault(`/accounts/${index}/countries/${at}`, 'a country such as DE')],
    ),
  ]);
  if (accounts.every(({ countries }) => countries !== undefined))
    errors.push(fault('/accounts', 'an account without countries, for all other numbers'));
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The settings are not valid.', { errors });
}

const fault = (pointer: string, expected: string): FieldError => ({
  pointer,
  code: 'invalid_value',
  expected,
});

/** Whether a test send that succeeded before proves these settings too. */
function isAsBefore(
  channel: Channel,
  { settings, secrets }: Pick<AccountToWrite, 'settings' | 'secrets'>,
  stored: ChannelAccount | null,
): boolean {
  return (
    stored !== null &&
    isDeepStrictEqual(settings, { ...providerSetting(channel, stored), ...stored.settings }) &&
    isDeepStrictEqual(secrets, stored.secrets)
  );
}

/**
 * Splits the request into settings and secrets. A mask in place of a secret keeps the stored one,
 * unless that is of another provider.
 */
function split(
  channel: Channel,
  input: Input,
  before: ChannelAccount | null,
): Pick<AccountToWrite, 'settings' | 'secrets'> {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const form = providerOf(providers, input);
  const secretFields = form === undefined ? [] : listSecretSettings(form);
  const masked = secretFields.filter((field) => input[field] === HIDDEN);
  const stored =
    before !== null &&
    providerNameOf(providers, before.settings) === providerNameOf(providers, input)
      ? before.secrets
      : {};
  if (masked.length > 0 && stored === null) {
    throw new AppError(
      'conflict',
      'The stored secrets were encrypted with another ENCRYPTION_KEY and cannot be kept. Send them again.',
    );
  }
  const secrets = Object.fromEntries(
    secretFields.flatMap((field) => {
      const value = masked.includes(field) ? stored?.[field] : input[field];
      return typeof value === 'string' && value !== '' ? [[field, value]] : [];
    }),
  );
  const settings = Object.fromEntries(
    Object.entries(input).filter(([field]) => !secretFields.includes(field)),
  );
  return { settings, secrets };
}
