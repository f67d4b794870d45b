import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { DescribedField } from '../../ui/described-field.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  listChannelFields,
  buildSettings,
  initialValues,
  type ChannelField,
} from './channel-fields.ts';

/** The default height of a text area. */
const TEXT_ROWS = 2;

export function SettingsForm({ state }: { readonly state: ChannelState }) {
  const fields = listChannelFields(state.channel);
  const [values, setValues] = useState(() => ({
    ...initialValues(fields, {
      ...Object.fromEntries(
        fields.flatMap(({ name, choices: [first] }) =>
          first === undefined ? [] : [[name, first]],
        ),
      ),
      ...state.settings,
    }),
  }));
  const may = useMay('changeChannels');
  const write = useChange<void, ChannelState>(
    () => ({
      path: `channels/${state.channel}`,
      method: 'PUT',
      body: buildSettings(fields, values, state.settings),
    }),
    ['channels'],
  );
  const isSaved = ({ name, isSecret }: ChannelField): boolean =>
    isSecret === true && state.settings[name] !== undefined;
  const submit = (): void =>
    write.mutate(undefined, {
      onSuccess: (answer) => {
        setValues(initialValues(fields, answer.settings));
        showToast(answer.status === 'ready' ? 'Saved' : 'Saved. Now send a test.');
      },
    });
  const enable = state.status === 'not_configured' ? 'Enable' : 'Re-enable';
  const action = fields.length > 0 ? 'Save' : enable;
  return (
    <Card
      title="Settings"
      description={
        fields.length > 0
          ? 'Secrets are hidden. Leave blank to keep the current value.'
          : 'No provider needed – the SDK fetches messages.'
      }
    >
      <EditForm action={action} isAllowed={may} change={write} onSubmit={submit}>
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
