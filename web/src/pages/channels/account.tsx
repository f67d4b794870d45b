import { hasCountries } from '@tidings/contracts/channels/accounts';
import { useEffect, useId, useRef, useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { ChannelAccount, ChannelState } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DescribedField } from '../../ui/described-field.tsx';
import { PartError, TextField, useFaultyParts } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import type { Direction } from '../../ui/use-moves.ts';
import { NAME_HINT, nameFault } from './add-account.tsx';
import { ChannelBadge } from './channel-badge.tsx';
import {
  accountPointer,
  findStored,
  listAccounts,
  listCountries,
  listOwnFields,
  pointerOf,
  providerForm,
  savedSettings,
  withAccount,
  withValue,
  type AccountDraft,
  type ChannelDraft,
} from './channel-draft.ts';
import { Obstacles } from './obstacles.tsx';
import { describeSecrets, SettingFields } from './setting-fields.tsx';

type AccountProps = {
  readonly state: ChannelState;
  readonly draft: ChannelDraft;
  readonly account: AccountDraft;
  /** Whether the role may change it. */
  readonly isAllowed: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onChange: (draft: ChannelDraft) => void;
  readonly onMove: (direction: Direction) => void;
  readonly onTest: () => void;
  readonly onRemove: () => void;
};

/** One account in the list: a line that opens its settings. */
export function Account(props: AccountProps) {
  const { state, draft, account, isAllowed, isFirst, isLast, onMove, onTest } = props;
  const { key, name, storedName } = account;
  const id = useId();
  const [isOpened, setOpened] = useState(storedName === null);
  // A field with an error must be seen.
  const isOpen = useFaultyParts()(accountPointer(draft, account)) || isOpened;
  const mayTest = useMay('testChannels');
  const stored = findStored(state, account);
  return (
    <li data-item={key}>
      <div className="account-head">
        <button
          type="button"
          className="account-name"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpened(!isOpen)}
        >
          <Icon name="open" />
          <span className="strong wrap">{name === '' ? 'No name' : name}</span>
        </button>
        <span className="soft small account-facts">{describe(state, account)}</span>
        <Status stored={stored} />
        <span className="row account-actions">
          {mayTest && stored !== undefined && (
            <Button isSmall onClick={onTest} aria-label={`Send a test by ${name}`}>
              Send a test
            </Button>
          )}
          {isAllowed && (
            <>
              <MoveButton direction="up" name={name} isDisabled={isFirst} onMove={onMove} />
              <MoveButton direction="down" name={name} isDisabled={isLast} onMove={onMove} />
            </>
          )}
        </span>
      </div>
      <div id={id} hidden={!isOpen} className="account-part">
        {isOpen && (
          <>
            {stored !== undefined && (
              <Obstacles of={stored} meanwhile={describeMeanwhile(state, stored)} />
            )}
            <AccountFields {...props} />
          </>
        )}
      </div>
    </li>
  );
}

/** Provider, share and countries in a line. */
function describe({ channel }: ChannelState, { provider, share, countries }: AccountDraft): string {
  return [
    providerForm(channel, provider).label,
    share.trim() !== '' && `share ${share.trim()}`,
    describeCountries(listCountries(countries)),
  ]
    .filter(Boolean)
    .join(' · ');
}

const COUNTRIES_NAMED_MAX = 5;

function describeCountries(codes: readonly string[]): string {
  const named = codes.slice(0, COUNTRIES_NAMED_MAX).join(', ');
  const more = codes.length - COUNTRIES_NAMED_MAX;
  return more > 0 ? `${named} and ${more} more` : named;
}

function Status({ stored }: { readonly stored: ChannelAccount | undefined }) {
  if (stored === undefined) return <Badge tone="info">Not saved</Badge>;
  return (
    <span className="row">
      <span className="soft small">
        <StatusDetail stored={stored} />
      </span>
      <ChannelBadge channel={stored} />
    </span>
  );
}

function StatusDetail({ stored }: { readonly stored: ChannelAccount }) {
  const { testedAt, pause, breaker } = stored;
  if (pause !== undefined) return humanize(pause.reason);
  if (breaker !== undefined)
    return (
      <>
        Next try <Time at={breaker.probeAt} form="ago" />
      </>
    );
  return (
    testedAt !== null && (
      <>
        Tested <Time at={testedAt} form="ago" />
      </>
    )
  );
}

export const canSend = ({ status, pause, breaker }: ChannelAccount): boolean =>
  status === 'ready' && pause === undefined && breaker === undefined;

function describeMeanwhile(state: ChannelState, account: ChannelAccount): string {
  return listAccounts(state).some((other) => other.name !== account.name && canSend(other))
    ? 'Meanwhile the other accounts send.'
    : 'Messages are kept until then.';
}

function MoveButton({
  direction,
  name,
  isDisabled,
  onMove,
}: {
  readonly direction: Direction;
  readonly name: string;
  readonly isDisabled: boolean;
  readonly onMove: (direction: Direction) => void;
}) {
  return (
    <Button
      kind="plain"
      isSmall
      className="icon"
      aria-label={`Move ${name} ${direction}`}
      title={`Move ${direction}`}
      data-move={direction}
      disabled={isDisabled}
      onClick={() => onMove(direction)}
    >
      <Icon name={direction} />
    </Button>
  );
}

function AccountFields({ state, draft, account, isAllowed, onChange, onRemove }: AccountProps) {
  const { channel } = state;
  const { name, storedName, provider, share, countries, values } = account;
  const fields = listOwnFields(channel, provider);
  const saved = savedSettings(state, account);
  const pointer = accountPointer(draft, account);
  const change = (changes: Partial<AccountDraft>): void =>
    onChange(withAccount(draft, account, changes));
  const settings = useFocusIfNew(storedName === null);
  return (
    <fieldset disabled={!isAllowed} className="stack" aria-label={`Settings of ${name}`}>
      <div className="grid" ref={settings}>
        <SettingFields
          fields={fields}
          values={values}
          saved={saved}
          toPointer={(field) => pointerOf(draft, account, field)}
          onChange={(field, value) => onChange(withValue(draft, account, { field, value }))}
        />
      </div>
      <PartError pointer={`${pointer}/settings`} />
      <p className="soft small">
        {describeSecrets(fields, saved)} {providerForm(channel, provider).setup}
      </p>
      <div className="grid">
        <DescribedField
          label="Share"
          isOptional
          choices={[]}
          hint="A weight from 0 to 100. Accounts without one stand in for those that have one."
          pointer={`${pointer}/share`}
          inputMode="numeric"
          autoComplete="off"
          value={share}
          onChange={(next) => change({ share: next })}
        />
        {hasCountries(channel) && (
          <DescribedField
            label="Countries"
            isOptional
            choices={[]}
            hint={nameCountries(countries) ?? 'Codes such as DE, AT. Empty: all other numbers.'}
            pointer={`${pointer}/countries`}
            autoComplete="off"
            spellCheck={false}
            value={countries}
            onChange={(next) => change({ countries: next })}
          />
        )}
        <TextField
          label="Name"
          hint={
            storedName === null || storedName === name
              ? NAME_HINT
              : `Saved as “${storedName}”. Its settings stay as they are.`
          }
          pointer={`${pointer}/name`}
          error={nameFault(
            name,
            draft.accounts.filter((each) => each !== account).map((each) => each.name),
          )}
          isBlocking
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(next) => change({ name: next })}
        />
      </div>
      {isAllowed && (
        <div className="row account-remove">
          <Button kind="plain" isSmall onClick={onRemove} aria-label={`Remove account ${name}`}>
            Remove account
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** Focuses the first field of an account that was just added. */
function useFocusIfNew(isNew: boolean) {
  const settings = useRef<HTMLDivElement>(null);
  const isFirst = useRef(isNew);
  useEffect(() => {
    if (isFirst.current) settings.current?.querySelector<HTMLElement>('.input')?.focus();
    isFirst.current = false;
  }, []);
  return settings;
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The names of the countries, or null while a code is none. */
function nameCountries(text: string): string | null {
  const codes = listCountries(text);
  const names = codes.map((code) => (/^[A-Z]{2}$/.test(code) ? COUNTRY_NAMES.of(code) : undefined));
  return codes.length === 0 || names.includes(undefined) ? null : names.join(', ');
}
