import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { User } from '../../api/types.ts';
import { formatJson } from '../../lib/exact-json.ts';
import { Badge } from '../../ui/badge.tsx';
import { CalledNumber } from '../../ui/called-number.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { explainDelivery } from '../../labels/explain.ts';
import { deviceName } from '../../labels/device-name.ts';
import { genderName } from '../../labels/gender.ts';
import { channelName } from '../../labels/channel-name.ts';
import { valueType } from './value-type.ts';

export function ProfileTab({ user }: { readonly user: User }) {
  return (
    <>
      <div className="columns">
        <Reachability user={user} />
        <Card title="Identity">
          <Facts
            facts={[
              ['Registered', <Time at={user.registeredAt} />],
              ['Last updated', <Time at={user.updatedAt} />],
              ['Service user IDs', <IdList ids={user.serviceUserIds} />],
            ]}
          />
        </Card>
      </div>
      <div className="columns">
        <Fields user={user} />
        <Devices devices={user.devices} />
      </div>
    </>
  );
}

function IdList({ ids }: { readonly ids: readonly string[] }) {
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <code className="wrap" dir="auto">
            {id}
          </code>
        </li>
      ))}
    </ul>
  );
}

function Reachability({ user }: { readonly user: User }) {
  return (
    <Card title="Reachability" isFlush>
      <Table<Channel>
        label="Reachable channels"
        rows={CHANNELS}
        rowKey={(channel) => channel}
        columns={[
          { name: 'Channel', width: '7rem', cell: channelName },
          {
            name: 'Reachable',
            width: '6rem',
            cell: (channel) => (
              <Badge tone={user.reachable[channel]?.ok ? 'good' : 'quiet'}>
                {user.reachable[channel]?.ok ? 'Yes' : 'No'}
              </Badge>
            ),
          },
          {
            name: 'Number or reason',
            hasOwnLine: true,
            cell: (channel) => {
              const { reason, ...called } = user.reachable[channel] ?? {};
              return (
                <span className="soft">
                  <CalledNumber {...called} reason={reason && explainDelivery(reason).summary} />
                </span>
              );
            },
          },
        ]}
      />
    </Card>
  );
}

type FieldRow = { readonly name: string; readonly value: unknown; readonly isCustom: boolean };

function Fields({ user: { profile } }: { readonly user: User }) {
  const { customAttributes, ...standard } = profile;
  const toRows = (
    fields: Readonly<Record<string, unknown>>,
    isCustom: boolean,
  ): readonly FieldRow[] =>
    Object.entries(fields).map(([name, value]) => ({ name, value, isCustom }));
  const rows = [...toRows(standard, false), ...toRows(customAttributes, true)];
  return (
    <Card title="Profile" description="All fields with their stored types." isFlush>
      {rows.length === 0 ? (
        <Empty title="No fields yet" icon="users">
          The back end or the SDK sends them.
        </Empty>
      ) : (
        <Table<FieldRow>
          label="Profile fields"
          rows={rows}
          rowKey={({ name, isCustom }) => `${isCustom} ${name}`}
          columns={[
            {
              name: 'Field',
              cell: ({ name, isCustom }) => (
                <>
                  <span className="wrap" dir="auto">
                    {name}
                  </span>
                  {isCustom && <div className="soft small">Custom</div>}
                </>
              ),
            },
            {
              name: 'Value',
              cell: ({ name, value, isCustom }) => (
                <FieldValue name={isCustom ? '' : name} value={value} />
              ),
            },
            {
              name: 'Type',
              isMinor: true,
              width: '6rem',
              cell: ({ value }) => <span className="soft">{valueType(value)}</span>,
            },
          ]}
        />
      )}
    </Card>
  );
}

function FieldValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (name === 'birthday' && (typeof value === 'number' || typeof value === 'bigint')) {
    const date = new Date(Number(value));
    return (
      <span title={`${value}`}>
        {Number.isNaN(date.getTime())
          ? `${value}`
          : date.toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })}
      </span>
    );
  }
  if (name === 'gender' && typeof value === 'string')
    return (
      <>
        {genderName(value)}{' '}
        <span className="soft">
          <LongText text={value} />
        </span>
      </>
    );
  if (typeof value === 'string') return <LongText text={value} />;
  return <LongText text={formatJson(value)} isCode />;
}

function Devices({ devices }: Pick<User, 'devices'>) {
  return (
    <Card title="Devices" isFlush>
      {devices.length === 0 ? (
        <Empty title="No devices" icon="channels">
          The SDK registers a device when the user opens your website or app.
        </Empty>
      ) : (
        <Table
          label="Devices"
          rows={devices}
          rowKey={({ deviceRef }) => deviceRef}
          columns={[
            {
              name: 'Device',
              cell: ({ deviceRef, kind, timeZone, locale }) => (
                <>
                  <LongText
                    text={[deviceName(kind), timeZone, locale].filter(Boolean).join(', ')}
                  />
                  <div className="small soft">
                    <code className="wrap" dir="auto">
                      {deviceRef}
                    </code>
                  </div>
                </>
              ),
            },
            {
              name: 'Receives messages',
              cell: ({ isProved }) => (
                <Badge tone={isProved ? 'good' : 'quiet'}>
                  {isProved ? 'Yes' : 'Not signed in'}
                </Badge>
              ),
            },
            {
              name: 'Receives push',
              cell: ({ reachable }) => (
                <Badge tone={reachable ? 'good' : 'quiet'}>{reachable ? 'Yes' : 'No'}</Badge>
              ),
            },
            {
              name: 'Last seen',
              isMinor: true,
              cell: ({ seenAt }) => <Time at={seenAt} form="ago" />,
            },
          ]}
        />
      )}
    </Card>
  );
}
