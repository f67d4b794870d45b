import { ACCOUNT_NAME_PATTERN } from '@tidings/contracts/channels/account-names';
import type { Channel } from '@tidings/contracts/channels/channels';
import { useState } from 'react';
import { TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { suggestName, type AccountDraft } from './channel-draft.ts';
import { listProviderOptions } from './provider-options.ts';

type Added = Pick<AccountDraft, 'name' | 'provider'>;

const NOTHING_PENDING = { error: null, isPending: false };

/** Asks for the provider of a new account, and for its name. It is stored with the other settings. */
export function AddAccount({
  channel,
  taken,
  onAdd,
  onClose,
}: {
  readonly channel: Channel;
  readonly taken: readonly string[];
  readonly onAdd: (added: Added) => void;
  readonly onClose: () => void;
}) {
  const options = listProviderOptions(channel);
  const [provider, setProvider] = useState(options[0]?.value ?? '');
  const [written, setWritten] = useState<string | null>(null);
  const name = written ?? suggestName(provider, taken);
  return (
    <FormDialog
      title="Add an account"
      action="Add account"
      change={NOTHING_PENDING}
      onSubmit={() => onAdd({ name, provider })}
      onClose={onClose}
    >
      <p className="soft">It sends once it is saved and its own test send has succeeded.</p>
      {options.length > 1 && (
        <Select label="Provider" value={provider} onChange={setProvider} options={options} />
      )}
      <TextField
        label="Name"
        hint={NAME_HINT}
        value={name}
        onChange={setWritten}
        error={nameFault(name, taken)}
        isBlocking
        autoComplete="off"
        spellCheck={false}
      />
    </FormDialog>
  );
}

export const NAME_HINT = 'Up to 20 lower-case letters, digits and hyphens';
const NAME = new RegExp(ACCOUNT_NAME_PATTERN);

/** `taken`: the names of the other accounts. */
export function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return 'Another account has this name';
  return NAME.test(name) ? undefined : 'Starts with a letter, then letters, digits and hyphens';
}
