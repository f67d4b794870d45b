import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { hasSeveralProviders, PROVIDER_SETTING } from '@tidings/contracts/channels/provider';
import { useMay } from '../../api/roles.ts';
import type { ChannelState } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { Select } from '../../ui/select.tsx';
import {
  accountPointer,
  isFlat,
  pointerOf,
  providerForm,
  savedSettings,
  withProvider,
  withValue,
  type AccountDraft,
  type ChannelDraft,
} from './channel-draft.ts';
import { listChannelFields } from './channel-fields.ts';
import { listProviderOptions } from './provider-options.ts';
import { describeSecrets, SettingFields } from './setting-fields.tsx';

export type ChannelFormProps = {
  readonly state: ChannelState;
  readonly draft: ChannelDraft;
  /** The change that the form submits. */
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly onChange: (draft: ChannelDraft) => void;
  readonly onSubmit: () => void;
  /** Absent if the channel can have no other account, or the role may not add one. */
  readonly onAdd?: () => void;
  /** Absent without changes. */
  readonly onDiscard?: () => void;
};

/** The settings of a channel with one account. The first field chooses the provider, and the others follow it. */
export function OneAccount({
  state,
  draft,
  account,
  change,
  onChange,
  onSubmit,
  onAdd,
  onDiscard,
}: ChannelFormProps & { readonly account: AccountDraft }) {
  const { channel, status } = state;
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const form = providerForm(channel, account.provider);
  const fields = listChannelFields(form);
  const saved = savedSettings(state, account);
  const may = useMay('changeChannels');
  const enable = status === 'not_configured' ? 'Enable' : 'Re-enable';
  return (
    <Card
      title="Settings"
      description={
        fields.length === 0
          ? 'No provider needed – the SDK fetches messages.'
          : describeSecrets(fields, saved)
      }
      actions={
        onAdd !== undefined &&
        status !== 'not_configured' && (
          <Button kind="plain" isSmall onClick={onAdd}>
            Add an account
          </Button>
        )
      }
    >
      <EditForm
        action={fields.length > 0 ? 'Save' : enable}
        isAllowed={may}
        change={change}
        onSubmit={onSubmit}
        {...(onDiscard !== undefined && { beside: <DiscardButton onClick={onDiscard} /> })}
      >
        {hasSeveralProviders(providers) && (
          <Select
            label="Provider"
            hint={form.setup}
            pointer={
              isFlat(draft)
                ? `/${PROVIDER_SETTING}`
                : `${accountPointer(draft, account)}/${PROVIDER_SETTING}`
            }
            value={account.provider}
            onChange={(provider) =>
              onChange({ ...draft, accounts: [withProvider(state, account, provider)] })
            }
            options={listProviderOptions(channel)}
          />
        )}
        <SettingFields
          // The fields of another provider are other fields, also where their names are the same.
          key={account.provider}
          fields={fields}
          values={{ ...draft.shared, ...account.values }}
          saved={saved}
          toPointer={(field) => pointerOf(draft, account, field)}
          onChange={(field, value) => onChange(withValue(draft, account, { field, value }))}
        />
      </EditForm>
    </Card>
  );
}

export function DiscardButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button kind="plain" onClick={onClick}>
      Discard changes
    </Button>
  );
}
