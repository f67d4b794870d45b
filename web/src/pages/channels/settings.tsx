import { mayHaveAccounts } from '@tidings/contracts/channels/accounts';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState } from '../../api/types.ts';
import { showToast } from '../../ui/toast.tsx';
import { AccountsForm } from './accounts-form.tsx';
import { AddAccount } from './add-account.tsx';
import {
  listAccounts,
  newAccount,
  startDraft,
  toBody,
  type ChannelDraft,
} from './channel-draft.ts';
import { OneAccount } from './one-account.tsx';
import { TestSend } from './test-send.tsx';

/** The settings of a channel, and its test send. Several accounts have a list, each with its own. */
export function ChannelSettings({ state }: { readonly state: ChannelState }) {
  const { channel } = state;
  const [stored, setStored] = useState(() => startDraft(state));
  const [draft, setDraft] = useState(stored);
  const [isAdding, setAdding] = useState(false);
  const may = useMay('changeChannels');
  const write = useChange<ChannelDraft, ChannelState>(
    (written) => ({
      path: `channels/${channel}`,
      method: 'PUT',
      body: toBody(state, written),
    }),
    ['channels'],
  );
  const reset = (next: ChannelDraft): void => {
    setStored(next);
    setDraft(next);
  };
  // The errors name accounts by their place.
  const rearrange = (next: ChannelDraft): void => {
    write.reset();
    setDraft(next);
  };
  const form = {
    state,
    draft,
    change: write,
    onChange: setDraft,
    onSubmit: () =>
      write.mutate(draft, {
        onSuccess: (answer) => {
          reset(startDraft(answer));
          showToast(describeSaved(answer));
        },
      }),
    ...(may && mayHaveAccounts(channel) && { onAdd: () => setAdding(true) }),
  };
  const discard = {
    onDiscard: () => {
      write.reset();
      reset(startDraft(state));
    },
  };
  const isChanged = draft !== stored;
  const [only, ...others] = draft.accounts;
  const hadSeveral = stored.accounts.length > 1;
  return (
    <>
      {only !== undefined && others.length === 0 ? (
        <div className="columns">
          <OneAccount {...form} account={only} {...(isChanged && hadSeveral && discard)} />
          <TestSend state={state} {...(hadSeveral && { account: only.name })} />
        </div>
      ) : (
        <AccountsForm {...form} {...(isChanged && discard)} onRearrange={rearrange} />
      )}
      {isAdding && (
        <AddAccount
          channel={channel}
          taken={draft.accounts.map(({ name }) => name)}
          onAdd={(added) => {
            rearrange({ ...draft, accounts: [...draft.accounts, newAccount(channel, added)] });
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

function describeSaved(state: ChannelState): string {
  const accounts = listAccounts(state);
  const untested = accounts.filter(({ status }) => status === 'untested').map(({ name }) => name);
  if (untested.length === 0) return 'Saved';
  return accounts.length === 1
    ? 'Saved. Now send a test.'
    : `Saved. Now send a test by ${untested.join(' and ')}.`;
}
