import type { FieldSchema } from './message-schema.ts';
import { ACCOUNT_NAME_PATTERN, ACCOUNTS_MAX } from './account-names.ts';
import { buildFormSchema, partOfForm, type SettingsForm } from './settings/setting.ts';

/** A provider of a channel: its name on the pages, and the settings of an account there. */
export type ChannelProvider = SettingsForm & {
  readonly label: string;
  /** What an operator sets up at the provider, beside these settings. */
  readonly setup?: string;
};

/** The providers of a channel by name. The first is meant where settings name none. */
export type ChannelProviders = Readonly<Record<string, ChannelProvider>>;

/** The setting that names the provider, on channels with several. */
export const PROVIDER_SETTING = 'provider';

type Settings = Readonly<Record<string, unknown>>;

export function hasSeveralProviders(providers: ChannelProviders): boolean {
  return Object.keys(providers).length > 1;
}

/** The provider that these settings name. Another version may have written one that this has not. */
export function providerNameOf(providers: ChannelProviders, settings: Settings): string {
  const [first] = Object.keys(providers) as [string, ...string[]];
  const named = settings[PROVIDER_SETTING];
  return typeof named === 'string' ? named : first;
}

/** The descriptor of the provider that these settings name. */
export function providerOf(
  providers: ChannelProviders,
  settings: Settings,
): ChannelProvider | undefined {
  const name = providerNameOf(providers, settings);
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/**
 * The JSON Schema of the settings of a channel that may have several accounts: those of its only one,
 * or those of the channel with a list of accounts.
 */
export function buildAccountsSchema(
  providers: ChannelProviders,
  { name, hasCountries }: { readonly name: string; readonly hasCountries: boolean },
): FieldSchema {
  const [first] = Object.values(providers) as [ChannelProvider, ...ChannelProvider[]];
  const ofChannel = buildFormSchema(partOfForm(first, 'channel'));
  const one = buildSettingsSchema(providers);
  return {
    type: 'object',
    if: { type: 'object', required: ['accounts'], properties: { accounts: {} } },
    // Computed key: an object literal with `then` would look like a promise.
    ['then' as string]: {
      title: `${name}Accounts`,
      ...ofChannel,
      required: [...ofChannel.required, 'accounts'],
      properties: {
        ...ofChannel.properties,
        accounts: {
          type: 'array',
          minItems: 1,
          maxItems: ACCOUNTS_MAX,
          description: `1 to ${ACCOUNTS_MAX} accounts`,
          items: accountSchema(providers, hasCountries),
        },
      },
    },
    else: hasSeveralProviders(providers) ? one : { title: `${name}Account`, ...one },
  };
}

/** Each alternative is complete, as in `buildSettingsSchema`. */
function accountSchema(providers: ChannelProviders, hasCountries: boolean): FieldSchema {
  const names = Object.keys(providers);
  const alternatives = Object.entries(providers).map(([provider, form]) => ({
    title: `${titleOf(provider)}Account`,
    type: 'object',
    required: ['name', ...(names.length > 1 ? [PROVIDER_SETTING] : []), 'settings'],
    properties: {
      name: ACCOUNT_NAME,
      previousName: ACCOUNT_NAME,
      [PROVIDER_SETTING]: { const: provider },
      share: { type: 'integer', minimum: 0, maximum: 100, description: 'a share, from 0 to 100' },
      ...(hasCountries && { countries: COUNTRIES }),
      settings: buildFormSchema(partOfForm(form, 'account')),
    },
    additionalProperties: false,
  }));
  const [only, ...others] = alternatives;
  if (only !== undefined && others.length === 0) return only;
  return {
    type: 'object',
    required: [PROVIDER_SETTING],
    properties: { [PROVIDER_SETTING]: { enum: names } },
    allOf: alternatives.map((alternative) => ({
      if: {
        type: 'object',
        required: [PROVIDER_SETTING],
        properties: { [PROVIDER_SETTING]: alternative.properties[PROVIDER_SETTING] },
      },
      ['then' as string]: alternative,
    })),
  };
}

const ACCOUNT_NAME = {
  type: 'string',
  pattern: ACCOUNT_NAME_PATTERN,
  description: 'a name of 1 to 20 lower-case letters, digits and hyphens',
} as const;

const COUNTRIES = {
  type: 'array',
  minItems: 1,
  maxItems: 300,
  items: { type: 'string', pattern: '^[A-Z]{2}$', description: 'a country such as DE' },
  description: 'countries such as DE',
} as const;

const titleOf = (provider: string): string =>
  `${provider.charAt(0).toUpperCase()}${provider.slice(1)}`;

/**
 * The JSON Schema of a channel's settings: those of its only provider, or of the one that they name.
 * Each alternative declares the name too, so it is complete.
 */
export function buildSettingsSchema(providers: ChannelProviders): FieldSchema {
  const names = Object.keys(providers);
  const [only, ...others] = Object.values(providers);
  if (only !== undefined && others.length === 0) return buildFormSchema(only);
  return {
    type: 'object',
    properties: { [PROVIDER_SETTING]: { enum: names } },
    allOf: Object.entries(providers).map(([name, form], index) => {
      const required = index === 0 ? [] : [PROVIDER_SETTING];
      const named = { [PROVIDER_SETTING]: { const: name } };
      const schema = buildFormSchema(form);
      return {
        if: { type: 'object', required, properties: named },
        // Computed key: an object literal with `then` would look like a promise.
        ['then' as string]: {
          title: `${titleOf(name)}Settings`,
          ...schema,
          required: [...required, ...schema.required],
          properties: { ...named, ...schema.properties },
        },
      };
    }),
  };
}
