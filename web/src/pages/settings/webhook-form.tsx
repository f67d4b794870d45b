import { CHANNELS } from '@tidings/contracts/channels/channels';
import { WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { Webhook, WebhookWithSecret } from '../../api/types.ts';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { channelName } from '../../labels/channel-name.ts';

type Saved = Webhook & Partial<WebhookWithSecret>;

const KINDS = WEBHOOK_KINDS.filter((kind) => kind !== 'webhook.ping');

/** Creates an endpoint, or edits the given one. */
export function WebhookForm({
  webhook,
  onClose,
  onSaved,
}: {
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onSaved: (webhook: Saved) => void;
}) {
  const { values, field } = useFields({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
  });
  const [kinds, setKinds] = useState<ReadonlySet<string>>(new Set(webhook?.kinds));
  const [channels, setChannels] = useState<ReadonlySet<string>>(new Set(webhook?.channels));
  const body = {
    ...values,
    kinds: KINDS.filter((kind) => kinds.has(kind)),
    channels: CHANNELS.filter((channel) => channels.has(channel)),
  };
  const save = useChange<void, Saved>(
    () =>
      webhook === undefined
        ? { path: 'webhooks', method: 'POST', body }
        : { path: `webhooks/${webhook.id}`, method: 'PATCH', body },
    ['webhooks'],
  );
  return (
    <FormDialog
      title={webhook === undefined ? 'New endpoint' : 'Edit endpoint'}
      action={webhook === undefined ? 'Create' : 'Save'}
      isWide
      change={save}
      onSubmit={() => save.mutate(undefined, { onSuccess: onSaved })}
      onClose={onClose}
    >
      <TextField
        label="URL"
        type="url"
        {...field('url')}
        placeholder="https://shop.example/hooks/tidings"
        hint="Public URLs must use https"
        required
      />
      <TextField label="Description" {...field('description')} />
      <Choices legend="Events (default: all)" names={KINDS} chosen={kinds} onChange={setKinds} />
      <Choices
        legend="Channels (default: all)"
        names={CHANNELS}
        chosen={channels}
        onChange={setChannels}
        toLabel={channelName}
      />
    </FormDialog>
  );
}

type ChoicesProps = {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly toLabel?: (name: string) => string;
};

function Choices({ legend, names, chosen, onChange, toLabel = (name) => name }: ChoicesProps) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className="grid narrow">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={toLabel(name)}
            isChecked={chosen.has(name)}
            onChange={(isOn) =>
              onChange(
                new Set(isOn ? [...chosen, name] : [...chosen].filter((each) => each !== name)),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
