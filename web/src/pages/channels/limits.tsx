import { RETRY_IF_UNKNOWN, type Channel } from '@tidings/contracts/channels/channels';
import type { CapUnit } from '@tidings/contracts/channels/descriptor';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { FrequencyCap, QuietHours } from '@tidings/contracts/policies';
import { useState } from 'react';
import { useApplication, useSettingsChange } from '../../api/application.ts';
import { useMay } from '../../api/roles.ts';
import type { Application } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { TimeField } from '../../ui/date-field.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';

const CAP_HINTS = {
  message: 'Leave empty for no limit',
  segment: 'Counted in SMS segments. Leave empty for no limit',
} as const satisfies Record<CapUnit, string>;

/** The path of each field in the application's settings; `*` is the channel. */
const SETTING_PATHS = {
  from: 'quietHours/*/from',
  to: 'quietHours/*/to',
  quietAction: 'quietHours/*/action',
  messages: 'frequencyCaps/*/messages',
  windowHours: 'frequencyCaps/*/windowHours',
  capAction: 'frequencyCaps/*/action',
  dailyCap: 'dailyCaps/*',
} as const;

export function ChannelLimits({ channel }: { readonly channel: Channel }) {
  const read = useApplication();
  return (
    <Loaded read={read}>
      {(application) => <LimitsForm key={channel} channel={channel} application={application} />}
    </Loaded>
  );
}

function LimitsForm({
  channel,
  application: { settings },
}: {
  readonly channel: Channel;
  readonly application: Application;
}) {
  const readSetting = <T,>(name: string): T | undefined =>
    (
      (settings as Readonly<Record<string, unknown>>)[name] as
        | Readonly<Record<string, T | undefined>>
        | undefined
    )?.[channel];
  const quiet = readSetting<QuietHours>('quietHours');
  const cap = readSetting<FrequencyCap>('frequencyCaps');
  const { values, field } = useFields(
    {
      from: quiet?.from ?? '',
      to: quiet?.to ?? '',
      quietAction: quiet?.action ?? 'hold',
      messages: cap === undefined ? '' : String(cap.messages),
      windowHours: cap === undefined ? '24' : String(cap.windowHours),
      capAction: cap?.action ?? 'drop',
      dailyCap: String(readSetting<number>('dailyCaps') ?? ''),
    },
    (name) => `/settings/${SETTING_PATHS[name].replace('*', channel)}`,
  );
  const [resend, setResend] = useState(
    readSetting<boolean>('resendOnUnknown') ?? RETRY_IF_UNKNOWN[channel],
  );
  const may = useMay('changeApplication');
  const change = useSettingsChange();
  const submit = (): void =>
    change.mutate(
      {
        quietHours: {
          [channel]:
            values.from === '' && values.to === ''
              ? null
              : { from: values.from, to: values.to, action: values.quietAction },
        },
        frequencyCaps: {
          [channel]:
            values.messages === ''
              ? null
              : {
                  messages: Number(values.messages),
                  windowHours: Number(values.windowHours),
                  action: values.capAction,
                },
        },
        dailyCaps: { [channel]: values.dailyCap === '' ? null : Number(values.dailyCap) },
        resendOnUnknown: { [channel]: resend },
      },
      { onSuccess: () => showToast('Saved') },
    );
  return (
    <Card title="Limits" description="Quiet hours and frequency caps apply to marketing only.">
      <EditForm action="Save" isAllowed={may} change={change} onSubmit={submit}>
        <div className="grid narrow">
          <TimeField
            label="Quiet hours from"
            {...field('from')}
            hint="In the recipient’s time zone"
          />
          <TimeField label="Quiet hours until" {...field('to')} />
          <Select
            label="During quiet hours"
            {...field('quietAction')}
            options={[
              { value: 'hold', label: 'Send after quiet hours' },
              { value: 'drop', label: 'Don’t send' },
            ]}
          />
        </div>
        <div className="grid narrow">
          <TextField
            label="Max messages per user"
            inputMode="numeric"
            {...field('messages')}
            hint="Leave empty for no cap on this channel"
          />
          <TextField label="Per (hours)" inputMode="numeric" {...field('windowHours')} />
          <Select
            label="When over the limit"
            {...field('capAction')}
            options={[
              { value: 'drop', label: 'Don’t send' },
              { value: 'hold', label: 'Send when under the limit' },
            ]}
          />
        </div>
        <div className="grid narrow">
          <TextField
            label="Max messages per day"
            inputMode="numeric"
            {...field('dailyCap')}
            hint={CAP_HINTS[CHANNEL_DESCRIPTORS[channel].capUnit]}
          />
        </div>
        <Checkbox
          label="Retry when the outcome is unknown"
          hint="Safe for channels where a repeated message replaces the first. E-mail and SMS recipients may get the message twice."
          isChecked={resend}
          onChange={setResend}
        />
      </EditForm>
    </Card>
  );
}
