import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Form, Select, TextArea, TextField } from '../../ui/field.tsx';
import { optionsOf } from '../../ui/options.ts';
import { showToast } from '../../ui/toast.tsx';
import { channelFieldsOf, settingsOf, valuesOf, type ChannelField } from './channel-fields.ts';

export function SettingsForm({ state }: { readonly state: ChannelState }) {
  const fields = channelFieldsOf(state.channel);
  const [values, setValues] = useState(() => ({
    ...valuesOf(fields, {
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
      body: settingsOf(fields, values, state.settings),
    }),
    ['channels'],
  );
  const submit = (): void =>
    write.mutate(undefined, {
      onSuccess: (answer) => {
        setValues(valuesOf(fields, answer.settings));
        showToast(answer.status === 'ready' ? 'Saved.' : 'Saved. Now make a test send.');
      },
    });
  return (
    <Card
      title="Settings"
      description={
        fields.length > 0
          ? 'Secrets are written and never read: leave one empty to keep it.'
          : 'There is nobody to sign in to: devices fetch the messages by the SDK.'
      }
    >
      <Form onSubmit={submit} error={write.error}>
        <fieldset disabled={!may} className="stack">
          {fields.map((field) => (
            <SettingField
              key={field.name}
              field={field}
              isKept={field.isSecret === true && state.settings[field.name] !== undefined}
              value={values[field.name] ?? ''}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
          {may && (
            <div className="row">
              <Button kind="primary" type="submit" isBusy={write.isPending}>
                {fields.length > 0
                  ? 'Save'
                  : state.status === 'not_configured'
                    ? 'Switch on'
                    : 'Switch on anew'}
              </Button>
            </div>
          )}
        </fieldset>
      </Form>
    </Card>
  );
}

type SettingProps = {
  readonly field: ChannelField;
  readonly isKept: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function SettingField({ field, isKept, value, onChange }: SettingProps) {
  const label = (
    <>
      {field.label}
      {field.isRequired !== true && <span className="soft"> (optional)</span>}
    </>
  );
  const common = {
    label,
    pointer: `/${field.name}`,
    value,
    onChange,
    ...(field.hint !== undefined && { hint: field.hint }),
  };
  if (field.choices.length > 0) return <Select {...common} options={optionsOf(field.choices)} />;
  const placeholder = isKept ? 'Kept; type to replace it' : undefined;
  if (field.isLong === true)
    return <TextArea {...common} placeholder={placeholder} autoComplete="off" spellCheck={false} />;
  return (
    <TextField
      {...common}
      placeholder={placeholder}
      type={field.isSecret === true ? 'password' : 'text'}
      inputMode={field.isNumber ? 'decimal' : undefined}
      autoComplete={field.isSecret === true ? 'new-password' : 'off'}
    />
  );
}
