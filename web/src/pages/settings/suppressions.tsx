import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  SUPPRESSIBLE_CHANNELS,
  type SuppressibleChannel,
} from '@tidings/contracts/channels/suppressions';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Suppression } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { toOptions } from '../../ui/options.ts';
import { Empty } from '../../ui/states.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { explainDelivery } from '../../labels/explain.ts';
import { channelName } from '../../labels/channel-name.ts';
import { SettingsPage } from './settings-page.tsx';

export function SuppressionsPage() {
  const filters = useFilters(['channel', 'address']);
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Suppression | null>(null);
  const may = useMay('changeSuppressions');
  const remove = useChange<string>(
    (id) => ({ path: `suppressions/${id}`, method: 'DELETE' }),
    ['suppressions'],
  );
  return (
    <SettingsPage
      title="Suppressions"
      description="Campaigns skip these addresses. Unsubscribed addresses still get transactional messages."
      actions={
        may && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Suppress an address
          </Button>
        )
      }
    >
      <Card isFlush>
        <FilterBar>
          <ChoiceFilter
            label="Channel"
            {...filters.field('channel')}
            options={toOptions(SUPPRESSIBLE_CHANNELS, 'All channels', channelName)}
          />
          <TextFilter label="Address" {...filters.field('address')} />
        </FilterBar>
        <List<Suppression>
          label="Suppressions"
          path="suppressions"
          query={filters.values}
          rowKey={({ id }) => id}
          fileName="suppressions.csv"
          columns={[
            { name: 'Address', cell: (row) => <LongText text={row.address} /> },
            { name: 'Channel', width: '6rem', cell: ({ channel }) => channelName(channel) },
            {
              name: 'Reason',
              cell: ({ reason }) => (
                <span title={explainDelivery(reason).summary}>{humanize(reason)}</span>
              ),
            },
            timeColumn('Added', ({ createdAt }) => createdAt),
            {
              name: 'Actions',
              width: '6rem',
              cell: (row) =>
                may && (
                  <Button
                    isSmall
                    onClick={() => setRemoved(row)}
                    aria-label={`Remove ${row.address}`}
                  >
                    Remove
                  </Button>
                ),
            },
          ]}
          empty={
            <Empty
              title={filters.isAny ? 'No matching addresses' : 'No suppressed addresses'}
              icon="users"
            />
          }
        />
      </Card>
      {isAdding && <AddSuppression onClose={() => setAdding(false)} />}
      {removed !== null && (
        <Confirm
          title={`Remove the suppression of ${removed.address}?`}
          action="Remove suppression"
          change={remove}
          onClose={() => setRemoved(null)}
          onConfirm={() => remove.mutate(removed.id, { onSuccess: () => setRemoved(null) })}
        >
          <p>
            Only do this if the person asked for it. After a STOP reply, the provider keeps blocking
            the number until the person replies START.
          </p>
        </Confirm>
      )}
    </SettingsPage>
  );
}

function AddSuppression({ onClose }: { readonly onClose: () => void }) {
  const [channel, setChannel] = useState<SuppressibleChannel>('EMAIL');
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('unsubscribed');
  const add = useChange<void>(
    () => ({ path: 'suppressions', method: 'POST', body: { channel, address, reason } }),
    ['suppressions'],
  );
  const changeChannel = (value: string): void => {
    setChannel(SUPPRESSIBLE_CHANNELS.find((each) => each === value) ?? 'EMAIL');
    setReason('unsubscribed');
  };
  return (
    <FormDialog
      title="Suppress an address"
      action="Suppress"
      change={add}
      onSubmit={() => add.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Select
        label="Channel"
        pointer="/channel"
        value={channel}
        onChange={changeChannel}
        options={toOptions(SUPPRESSIBLE_CHANNELS, undefined, channelName)}
      />
      <TextField
        label="Address"
        pointer="/address"
        value={address}
        onChange={setAddress}
        required
      />
      <Select
        label="Reason"
        pointer="/reason"
        value={reason}
        onChange={setReason}
        options={toOptions(CHANNEL_DESCRIPTORS[channel].suppressionReasons)}
      />
    </FormDialog>
  );
}
