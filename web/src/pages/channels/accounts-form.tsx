import { ACCOUNTS_MAX } from '@tidings/contracts/channels/account-names';
import { hasCountries } from '@tidings/contracts/channels/accounts';
import type { Channel } from '@tidings/contracts/channels/channels';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/roles.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Form, PartError } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { moveItem, useMoves } from '../../ui/use-moves.ts';
import { Account } from './account.tsx';
import {
  findStored,
  listSharedFields,
  pointerOf,
  savedSettings,
  withValue,
  type AccountDraft,
  type ChannelDraft,
} from './channel-draft.ts';
import { DiscardButton, type ChannelFormProps } from './one-account.tsx';
import { describeSecrets, SettingFields } from './setting-fields.tsx';
import { AccountTest } from './test-send.tsx';

const describeChoice = (channel: Channel): string =>
  `Chosen ${
    hasCountries(channel) ? 'by the country of the number, then ' : ''
  }by share, else in this order. An account that fails is passed over; only what it certainly did not accept goes to the next.`;

type AccountsFormProps = ChannelFormProps & {
  /** For another order or other accounts. */
  readonly onRearrange: (draft: ChannelDraft) => void;
};

/** The settings of a channel with several accounts: those for all of them, then each account in its order. */
export function AccountsForm({
  state,
  draft,
  change,
  onChange,
  onRearrange,
  onSubmit,
  onAdd,
  onDiscard,
}: AccountsFormProps) {
  const { channel } = state;
  const { accounts } = draft;
  const may = useMay('changeChannels');
  const { list, rememberMove } = useMoves<HTMLOListElement>(accounts);
  const [testing, setTesting] = useState<string | null>(null);
  const [to, setTo] = useState('');
  const [removing, setRemoving] = useState<AccountDraft | null>(null);
  const without = (account: AccountDraft): ChannelDraft => ({
    ...draft,
    accounts: accounts.filter((each) => each !== account),
  });
  const { button: add, focusNext } = useFocusAfter(accounts);
  const remove = (account: AccountDraft): void => {
    setRemoving(null);
    focusNext();
    onRearrange(without(account));
  };
  const isFull = accounts.length >= ACCOUNTS_MAX;
  return (
    <>
      <Form onSubmit={onSubmit} error={change.error}>
        <Shared {...{ state, draft, onChange }} isAllowed={may} />
        <Card title="Accounts" description={describeChoice(channel)} isFlush>
          <PartError pointer="/accounts" />
          <ol className="accounts" ref={list}>
            {accounts.map((account, index) => (
              <Account
                key={account.key}
                state={state}
                draft={draft}
                account={account}
                isAllowed={may}
                isFirst={index === 0}
                isLast={index === accounts.length - 1}
                onChange={onChange}
                onMove={(direction) => {
                  rememberMove(account.key, direction);
                  onRearrange({ ...draft, accounts: moveItem(accounts, index, direction) });
                }}
                onTest={() => setTesting(account.name)}
                onRemove={() =>
                  findStored(state, account) === undefined ? remove(account) : setRemoving(account)
                }
              />
            ))}
          </ol>
          {onAdd !== undefined && (
            <div className="inside">
              <div className="row">
                <Button ref={add} kind="plain" isSmall onClick={onAdd} disabled={isFull}>
                  <Icon name="add" /> Add an account
                </Button>
                {isFull && <span className="soft small">{ACCOUNTS_MAX} accounts at most</span>}
              </div>
            </div>
          )}
        </Card>
        {may && (
          <div className="row">
            <Button kind="primary" type="submit" isBusy={change.isPending}>
              Save
            </Button>
            {onDiscard !== undefined && <DiscardButton onClick={onDiscard} />}
          </div>
        )}
      </Form>
      {testing !== null && (
        <AccountTest
          channel={channel}
          account={testing}
          isChanged={onDiscard !== undefined}
          to={to}
          onChange={setTo}
          onClose={() => setTesting(null)}
        />
      )}
      {removing !== null && (
        <Confirm
          title={`Remove ${removing.name}?`}
          action="Remove account"
          change={{ isPending: false }}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        >
          <p>
            When you save, its settings and secrets are deleted. {describeRest(without(removing))}
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Focuses a button after the next change of `items`: the one that changed them is gone. */
function useFocusAfter(items: readonly unknown[]) {
  const button = useRef<HTMLButtonElement>(null);
  const isWanted = useRef(false);
  useEffect(() => {
    if (isWanted.current) button.current?.focus();
    isWanted.current = false;
  }, [items]);
  return { button, focusNext: () => void (isWanted.current = true) };
}

function describeRest(rest: ChannelDraft): string {
  const [first, ...others] = rest.accounts;
  if (others.length > 0) return 'The others then send its messages.';
  return `“${first?.name}” then sends alone.`;
}

/** What the channel has for all of its accounts. */
function Shared({
  state,
  draft,
  onChange,
  isAllowed,
}: Pick<ChannelFormProps, 'draft' | 'onChange' | 'state'> & { readonly isAllowed: boolean }) {
  const [first] = draft.accounts;
  if (first === undefined) return null;
  const fields = listSharedFields(state.channel, first.provider);
  const saved = savedSettings(state, first);
  return (
    fields.length > 0 && (
      <Card title="For all accounts" description={describeSecrets(fields, saved)}>
        <fieldset disabled={!isAllowed} className="grid">
          <SettingFields
            fields={fields}
            values={draft.shared}
            saved={saved}
            toPointer={(field) => pointerOf(draft, first, field)}
            onChange={(field, value) => onChange(withValue(draft, first, { field, value }))}
          />
        </fieldset>
      </Card>
    )
  );
}
