import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useChange, useRead, type Page as Listed } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { AllowList, IngestEntry, IngestRejection } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Form, TextArea, TextField } from '../../ui/field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { isAddress, isInNetwork, isEntry, readEntries } from './addresses.ts';
import { SettingsPage } from './settings-page.tsx';

export function AllowListPage() {
  const read = useRead<AllowList>('allow-list');
  return (
    <SettingsPage
      title="Allow-list"
      description="IP addresses from which API keys may be used. An empty list permits all addresses."
    >
      <Loaded read={read}>{(list) => <Editor list={list} />}</Loaded>
      <RejectedRequests />
    </SettingsPage>
  );
}

function Editor({ list }: { readonly list: AllowList }) {
  const [text, setText] = useState(list.entries.join('\n'));
  const [tried, setTried] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const may = useMay('changeAllowList');
  const write = useChange<void, AllowList>(
    () => ({ path: 'allow-list', method: 'PUT', body: { entries: readEntries(text) } }),
    ['allow-list'],
  );
  const entries = readEntries(text);
  const wrong = entries.filter((entry) => !isEntry(entry));
  const ownAddress = list.yourAddress;
  const locksOut =
    ownAddress !== null &&
    entries.length > 0 &&
    !entries.some((entry) => isInNetwork(ownAddress, entry));
  const save = (): void =>
    write.mutate(undefined, {
      onSuccess: (saved) => {
        setText(saved.entries.join('\n'));
        showToast(
          saved.entries.length === 0 ? 'Allow-list disabled' : 'Saved. Active within 5 seconds.',
        );
      },
      onSettled: () => setConfirming(false),
    });
  const isStrict = list.entries.length === 0 && entries.length > 0;
  return (
    <div className="columns">
      <Card
        title="Allowed addresses"
        actions={
          <Badge tone={list.entries.length === 0 ? 'quiet' : 'good'}>
            {list.entries.length === 0 ? 'Off' : 'On'}
          </Badge>
        }
      >
        <Form
          onSubmit={() => (isStrict || locksOut ? setConfirming(true) : save())}
          error={write.error}
        >
          <TextArea
            label="Addresses and networks"
            pointer="/entries"
            value={text}
            onChange={setText}
            rows={8}
            spellCheck={false}
            disabled={!may}
            placeholder={'203.0.113.7\n10.0.0.0/8\n2001:db8::/32'}
            hint="IPv4 or IPv6, one per line"
            error={
              wrong.length > 0
                ? `Not an address or network: ${wrong.slice(0, 3).join(', ')}`
                : undefined
            }
          />
          {may && (
            <div className="row">
              <Button
                kind="primary"
                type="submit"
                isBusy={write.isPending}
                disabled={wrong.length > 0}
              >
                Save
              </Button>
              {ownAddress !== null && !entries.some((entry) => isInNetwork(ownAddress, entry)) && (
                <Button onClick={() => setText([...entries, ownAddress].join('\n'))}>
                  Add my address ({ownAddress})
                </Button>
              )}
            </div>
          )}
          {locksOut && (
            <Callout tone="warn">
              <p>
                Your own address, <code>{ownAddress}</code>, is not on the list. You can still use
                the dashboard, but API keys won’t work from your address.
              </p>
            </Callout>
          )}
        </Form>
      </Card>
      <Card
        title="Test an address"
        description="Checks an address against the list, including unsaved changes."
      >
        <TextField
          label="Address"
          value={tried}
          onChange={setTried}
          placeholder="203.0.113.7"
          error={tried !== '' && !isAddress(tried) ? 'Not a valid IP address' : undefined}
        />
        <div role="status">
          {isAddress(tried) && <AddressCheck address={tried} entries={entries} />}
        </div>
      </Card>
      {isConfirming && (
        <Confirm
          title={locksOut ? 'Save without your own address?' : 'Enable the allow-list?'}
          action="Save"
          isDangerous={locksOut}
          change={{ isPending: write.isPending }}
          onConfirm={save}
          onClose={() => setConfirming(false)}
        >
          <p>
            Only requests from {entries.length === 1 ? 'this address' : 'these addresses'} will be
            accepted. All others get 403, including browsers and apps of your users, unless the
            settings let Client keys skip the allow-list.
          </p>
          {locksOut && <p>Your own address is not on the list.</p>}
        </Confirm>
      )}
    </div>
  );
}

function AddressCheck({
  address,
  entries,
}: {
  readonly address: string;
  readonly entries: readonly string[];
}) {
  const by = entries.find((entry) => isEntry(entry) && isInNetwork(address, entry));
  if (entries.length === 0) return <Badge tone="good">Allowed – the list is empty</Badge>;
  return by === undefined ? (
    <Badge tone="bad">Rejected</Badge>
  ) : (
    <Badge tone="good">Allowed by {by}</Badge>
  );
}

function RejectedRequests() {
  const read = useRead<Listed<IngestEntry>>('ingest', {
    query: { reason: 'ip_not_allowed', limit: 20 },
  });
  useLive('ingest', ['ingest']);
  return (
    <Card
      title="Recently rejected"
      description="Requests with a valid key from an address that is not on the list."
      isFlush
    >
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No rejected requests" icon="settings" />
          ) : (
            <Table<IngestRejection>
              label="Recently rejected addresses"
              rows={items.filter((entry) => entry.outcome === 'rejected')}
              rowKey={({ requestId }) => requestId}
              columns={[
                {
                  name: 'Address',
                  cell: ({ address }) => <code className="wrap">{address ?? '–'}</code>,
                },
                { name: 'Time', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
                {
                  name: 'Path',
                  isMinor: true,
                  width: '5rem',
                  cell: ({ path }) => <code>{path}</code>,
                },
                {
                  name: 'Request',
                  isMinor: true,
                  cell: ({ requestId }) => (
                    <Link to="/ingest/$requestId" params={{ requestId }}>
                      Open
                    </Link>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
