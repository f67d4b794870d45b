import { FIRST_ACCOUNT } from '@tidings/contracts/channels/account-names';
import { hasCountries } from '@tidings/contracts/channels/accounts';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  type ChannelProvider,
} from '@tidings/contracts/channels/provider';
import type { ChannelAccount, ChannelState } from '../../api/types.ts';
import { newId } from '../../lib/ids.ts';
import {
  buildSettings,
  listChannelFields,
  startValues,
  type ChannelField,
} from './channel-fields.ts';

type Settings = ChannelState['settings'];
type Values = Readonly<Record<string, string>>;

/** An account as the page edits it. */
export type AccountDraft = {
  /** Its identity on the page: the name may change. */
  readonly key: string;
  /** The name that it is stored by; null: it was added here. */
  readonly storedName: string | null;
  readonly name: string;
  readonly provider: string;
  readonly share: string;
  /** Codes, separated by commas. */
  readonly countries: string;
  readonly values: Values;
};

/** The settings of a channel as the page edits them. */
export type ChannelDraft = {
  /** Of the settings that the channel has for all accounts. */
  readonly shared: Values;
  readonly accounts: readonly AccountDraft[];
  /** Several are stored: what is left of them is written as a list, in which it stays ready. */
  readonly isOfSeveral: boolean;
};

/** The accounts that are stored; one on channels that cannot have several. */
export function listAccounts(state: ChannelState): readonly ChannelAccount[] {
  const { channel, status, testedAt = null, settings } = state;
  if (state.accounts !== undefined) return state.accounts;
  if (status === 'not_configured') return [];
  const provider = providerNameOf(CHANNEL_DESCRIPTORS[channel].providers, settings);
  return [{ name: FIRST_ACCOUNT, provider, status, testedAt, settings }];
}

export function startDraft(state: ChannelState): ChannelDraft {
  const { channel, settings } = state;
  const stored = listAccounts(state).map(({ name, provider, share, countries }) => {
    const known = knownProvider(channel, provider);
    const account = {
      ...newAccount(channel, { name, provider: known }),
      storedName: name,
      share: String(share ?? ''),
      countries: countries?.join(', ') ?? '',
    };
    return withProvider(state, account, known);
  });
  const provider = stored[0]?.provider ?? knownProvider(channel, '');
  return {
    shared: startValues(listSharedFields(channel, provider), settings),
    accounts: stored.length > 0 ? stored : [newAccount(channel, { name: FIRST_ACCOUNT, provider })],
    isOfSeveral: stored.length > 1,
  };
}

export const newAccount = (
  channel: Channel,
  { name, provider }: Pick<AccountDraft, 'name' | 'provider'>,
): AccountDraft => ({
  key: newId(),
  storedName: null,
  name,
  provider,
  share: '',
  countries: '',
  values: startValues(listOwnFields(channel, provider), {}),
});

/** The account at a provider, with what is stored of it there. */
export function withProvider(
  state: ChannelState,
  account: AccountDraft,
  provider: string,
): AccountDraft {
  const chosen = { ...account, provider };
  const saved = findStored(state, chosen)?.settings ?? {};
  return { ...chosen, values: startValues(listOwnFields(state.channel, provider), saved) };
}

/** The draft with another value of a setting. */
export function withValue(
  draft: ChannelDraft,
  account: AccountDraft,
  { field, value }: { readonly field: ChannelField; readonly value: string },
): ChannelDraft {
  return field.isOfChannel === true
    ? { ...draft, shared: { ...draft.shared, [field.name]: value } }
    : withAccount(draft, account, { values: { ...account.values, [field.name]: value } });
}

export const withAccount = (
  draft: ChannelDraft,
  account: AccountDraft,
  changes: Partial<AccountDraft>,
): ChannelDraft => ({
  ...draft,
  accounts: draft.accounts.map((each) => (each === account ? { ...account, ...changes } : each)),
});

/** Another version of the product may have stored a provider that this one does not have. */
function knownProvider(channel: Channel, name: string): string {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  return Object.hasOwn(providers, name) ? name : providerNameOf(providers, {});
}

export function providerForm(channel: Channel, provider: string): ChannelProvider {
  const form = CHANNEL_DESCRIPTORS[channel].providers[provider];
  if (form === undefined) throw new Error(`${channel} has no provider ${provider}`);
  return form;
}

export const listOwnFields = (channel: Channel, provider: string): readonly ChannelField[] =>
  listChannelFields(providerForm(channel, provider)).filter(
    ({ isOfChannel }) => isOfChannel !== true,
  );

export const listSharedFields = (channel: Channel, provider: string): readonly ChannelField[] =>
  listChannelFields(providerForm(channel, provider)).filter(
    ({ isOfChannel }) => isOfChannel === true,
  );

/** The account as it is stored, at the same provider: its secrets are kept, and its status counts. */
export function findStored(
  state: ChannelState,
  { storedName, provider }: AccountDraft,
): ChannelAccount | undefined {
  return listAccounts(state).find(
    (stored) => stored.name === storedName && stored.provider === provider,
  );
}

/** What is stored of an account, and of the settings for all accounts. */
export function savedSettings(state: ChannelState, account: AccountDraft): Settings {
  const shared = listSharedFields(state.channel, account.provider).flatMap(({ name }) =>
    state.settings[name] === undefined ? [] : [[name, state.settings[name]]],
  );
  return { ...Object.fromEntries(shared), ...findStored(state, account)?.settings };
}

/** Whether the settings are written without a list of accounts. */
export const isFlat = ({ accounts: [first, ...others], isOfSeveral }: ChannelDraft): boolean =>
  !isOfSeveral && others.length === 0 && first?.name === FIRST_ACCOUNT;

/** The JSON pointer of a setting in what is written. */
export function pointerOf(draft: ChannelDraft, account: AccountDraft, field: ChannelField): string {
  return field.isOfChannel === true || isFlat(draft)
    ? `/${field.name}`
    : `${accountPointer(draft, account)}/settings/${field.name}`;
}

export const accountPointer = ({ accounts }: ChannelDraft, account: AccountDraft): string =>
  `/accounts/${accounts.indexOf(account)}`;

/** The settings to write. */
export function toBody(state: ChannelState, draft: ChannelDraft): Record<string, unknown> {
  const { channel } = state;
  const [first] = draft.accounts;
  if (first === undefined) throw new Error('a draft has an account');
  const own = (account: AccountDraft): Record<string, unknown> =>
    buildSettings(
      listOwnFields(channel, account.provider),
      account.values,
      savedSettings(state, account),
    );
  const shared = buildSettings(
    listSharedFields(channel, first.provider),
    draft.shared,
    state.settings,
  );
  if (isFlat(draft)) {
    const hasChoice = hasSeveralProviders(CHANNEL_DESCRIPTORS[channel].providers);
    return { ...(hasChoice && { [PROVIDER_SETTING]: first.provider }), ...shared, ...own(first) };
  }
  // An account that is alone has nothing to share.
  const isAlone = draft.accounts.length === 1;
  return {
    ...shared,
    accounts: draft.accounts.map((account) => ({
      name: account.name.trim(),
      ...readPreviousName(account),
      provider: account.provider,
      settings: own(account),
      ...(!isAlone && readShare(account)),
      ...(!isAlone && hasCountries(channel) && readCountries(account)),
    })),
  };
}

/** The name that its secrets are stored by, if it gets another one. */
function readPreviousName({ name, storedName }: AccountDraft): { readonly previousName?: string } {
  return storedName === null || storedName === name.trim() ? {} : { previousName: storedName };
}

/** What is no number is written as it is, so that the service reports it. */
function readShare({ share }: AccountDraft): { readonly share?: number | string } {
  const text = share.trim();
  if (text === '') return {};
  return { share: Number.isNaN(Number(text)) ? text : Number(text) };
}

function readCountries({ countries }: AccountDraft): { readonly countries?: readonly string[] } {
  const codes = listCountries(countries);
  return codes.length === 0 ? {} : { countries: codes };
}

export const listCountries = (text: string): readonly string[] =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '');

/** A name for another account of this provider. */
export function suggestName(provider: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? provider : `${provider}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
