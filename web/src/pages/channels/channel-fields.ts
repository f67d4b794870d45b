import type { Setting, SettingsForm } from '@tidings/contracts/channels/settings/setting';
import { HIDDEN } from '@tidings/api-spec/hidden';
import { listChoices } from '../../lib/choices.ts';

/** One setting of a channel as a form field. */
export type ChannelField = Pick<
  Setting,
  'hint' | 'isRequired' | 'isSecret' | 'isLong' | 'isOfChannel'
> & {
  readonly name: string;
  readonly label: string;
  readonly isNumber: boolean;
  /** Allowed values, the default first. Empty for text fields. */
  readonly choices: readonly string[];
};

/** The form fields of a provider, from its descriptor. */
export function listChannelFields({ fields }: SettingsForm): readonly ChannelField[] {
  return Object.entries(fields).flatMap(([name, { schema, label, standard, ...setting }]) =>
    label === undefined
      ? []
      : [
          {
            ...setting,
            name,
            label,
            isNumber: schema['type'] === 'integer' || schema['type'] === 'number',
            choices: listChoices(schema, standard),
          },
        ],
  );
}

/** The settings to save. Empty fields are omitted; a secret that was not typed keeps its saved value. */
export function buildSettings(
  fields: readonly ChannelField[],
  values: Readonly<Record<string, string>>,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = (values[field.name] ?? '').trim();
      if (text === '')
        return field.isSecret === true && before[field.name] === HIDDEN
          ? [[field.name, HIDDEN]]
          : [];
      return [[field.name, field.isNumber && !Number.isNaN(Number(text)) ? Number(text) : text]];
    }),
  );
}

/** The initial values of the fields: all saved settings except secrets. */
export function initialValues(
  fields: readonly ChannelField[],
  settings: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.isSecret === true || settings[field.name] === undefined
        ? ''
        : String(settings[field.name]),
    ]),
  );
}

/** The initial values of a form: what is saved, otherwise the default of each choice. */
export function startValues(
  fields: readonly ChannelField[],
  saved: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const defaults = fields.flatMap(({ name, choices: [first] }) =>
    first === undefined ? [] : [[name, first]],
  );
  return initialValues(fields, { ...Object.fromEntries(defaults), ...saved });
}
