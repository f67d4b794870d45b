import type { ChannelState } from '../../api/types.ts';
import { DescribedField } from '../../ui/described-field.tsx';
import type { ChannelField } from './channel-fields.ts';

/** The default height of a text area. */
const TEXT_ROWS = 2;

type Saved = ChannelState['settings'];

const isSaved = ({ name, isSecret }: ChannelField, saved: Saved): boolean =>
  isSecret === true && saved[name] !== undefined;

export function describeSecrets(fields: readonly ChannelField[], saved: Saved): string {
  return fields.some((field) => isSaved(field, saved))
    ? 'Secrets are hidden. Leave blank to keep the current value.'
    : 'Secrets are hidden once they are saved.';
}

type SettingFieldsProps = {
  readonly fields: readonly ChannelField[];
  readonly values: Readonly<Record<string, string>>;
  readonly saved: Saved;
  readonly toPointer: (field: ChannelField) => string;
  readonly onChange: (field: ChannelField, value: string) => void;
};

/** Settings as fields. A secret that is saved is kept while its field is empty. */
export function SettingFields({ fields, values, saved, toPointer, onChange }: SettingFieldsProps) {
  return fields.map((field) => (
    <DescribedField
      key={field.name}
      label={field.label}
      hint={field.hint}
      isOptional={field.isRequired !== true}
      choices={field.choices}
      rows={field.isLong === true ? TEXT_ROWS : undefined}
      type={field.isSecret === true ? 'password' : 'text'}
      inputMode={field.isNumber ? 'decimal' : undefined}
      autoComplete={field.isSecret === true && field.isLong !== true ? 'new-password' : 'off'}
      placeholder={isSaved(field, saved) ? 'Saved – type to replace' : undefined}
      spellCheck={field.isLong === true ? false : undefined}
      pointer={toPointer(field)}
      value={values[field.name] ?? ''}
      onChange={(value) => onChange(field, value)}
    />
  ));
}
