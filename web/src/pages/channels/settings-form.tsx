import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  type ChannelProvider,
} from '@tidings/contracts/channels/provider';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { DescribedField } from '../../ui/described-field.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { Select } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  listChannelFields,
  buildSettings,
  initialValues,
  type ChannelField,
} from './channel-fields.ts';

/** The default height of a text area. */
const TEXT_ROWS = 2;

/** The settings of a channel. The first field chooses the provider, and the others follow it. */
export function SettingsForm({ state }: { readonly state: ChannelState }) {
  const { providers } = CHANNEL_DESCRIPTORS[state.channel];
  const stored = providerNameOf(providers, state.settings);
  const [chosen, setChosen] = useState(stored);
  // Another version of the product may have stored a provider that this one does not have.
  const name = Object.hasOwn(providers, chosen) ? chosen : providerNameOf(providers, {});
  const form = providers[name];
  return (
    form !== undefined && (
      <ProviderForm
        key={name}
        channel={state.channel}
        name={name}
        form={form}
        onChoose={setChosen}
        status={state.status}
        saved={name === stored ? state.settings : NOTHING_SAVED}
      />
    )
  );
}

function describeSecrets(
  fields: readonly ChannelField[],
  isSaved: (field: ChannelField) => boolean,
): string {
  if (fields.length === 0) return 'No provider needed – the SDK fetches messages.';
  return fields.some(isSaved)
    ? 'Secrets are hidden. Leave blank to keep the current value.'
    : 'Secrets are hidden once they are saved.';
}

/** Of another provider. Its secrets have other names or other values, so none is kept. */
const NOTHING_SAVED: ChannelState['settings'] = {};

type ProviderFormProps = Pick<ChannelState, 'channel' | 'status'> & {
  readonly name: string;
  readonly form: ChannelProvider;
  readonly onChoose: (name: string) => void;
  readonly saved: ChannelState['settings'];
};

function ProviderForm({ channel, name, form, onChoose, status, saved }: ProviderFormProps) {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const hasChoice = hasSeveralProviders(providers);
  const fields = listChannelFields(form);
  const [values, setValues] = useState(() => ({
    ...initialValues(fields, {
      ...Object.fromEntries(
        fields.flatMap(({ name: field, choices: [first] }) =>
          first === undefined ? [] : [[field, first]],
        ),
      ),
      ...saved,
    }),
  }));
  const may = useMay('changeChannels');
  const write = useChange<void, ChannelState>(
    () => ({
      path: `channels/${channel}`,
      method: 'PUT',
      body: {
        ...(hasChoice && { [PROVIDER_SETTING]: name }),
        ...buildSettings(fields, values, saved),
      },
    }),
    ['channels'],
  );
  const isSaved = ({ name: field, isSecret }: ChannelField): boolean =>
    isSecret === true && saved[field] !== undefined;
  const submit = (): void =>
    write.mutate(undefined, {
      onSuccess: (answer) => {
        setValues(initialValues(fields, answer.settings));
        showToast(answer.status === 'ready' ? 'Saved' : 'Saved. Now send a test.');
      },
    });
  const enable = status === 'not_configured' ? 'Enable' : 'Re-enable';
  const action = fields.length > 0 ? 'Save' : enable;
  return (
    <Card title="Settings" description={describeSecrets(fields, isSaved)}>
      <EditForm action={action} isAllowed={may} change={write} onSubmit={submit}>
        {hasChoice && (
          <Select
            label="Provider"
            hint={form.setup}
            pointer={`/${PROVIDER_SETTING}`}
            value={name}
            onChange={onChoose}
            options={Object.entries(providers).map(([value, { label }]) => ({ value, label }))}
          />
        )}
        {fields.map((field) => (
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
            placeholder={isSaved(field) ? 'Saved – type to replace' : undefined}
            spellCheck={field.isLong === true ? false : undefined}
            pointer={`/${field.name}`}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
      </EditForm>
    </Card>
  );
}
