import { ERROR_CODES } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_OUTCOMES, RECEIPT_REASONS } from '@tidings/contracts/ingest/ingest';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { IngestEntry } from '../../api/types.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { readUuid } from '../../lib/ids.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { Time } from '../../ui/time.tsx';
import { Arrivals } from './arrivals.tsx';
import { IngestReason } from './ingest-explanation.tsx';
import { INGEST_CALL } from '../../ui/api-call.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';

const buildColumns = (customUserId: string): readonly Column<IngestEntry>[] => [
  {
    name: 'Message',
    cell: (entry) => (
      <>
        <Link
          to="/ingest/$requestId"
          params={{ requestId: entry.requestId }}
          search={entrySearch(entry, customUserId) as never}
          title={entry.requestId}
        >
          <bdi>{entry.outcome === 'rejected' ? `${entry.status} at ${entry.path}` : entry.id}</bdi>
        </Link>
        <div className="narrow-only soft small">
          <Time at={entry.receivedAt} />
        </div>
      </>
    ),
  },
  {
    name: 'Type',
    isMinor: true,
    width: '7rem',
    cell: (entry) => (entry.outcome === 'rejected' ? 'Request' : humanize(entry.type)),
  },
  { name: 'Outcome', width: '8rem', cell: ({ outcome }) => <StatusBadge status={outcome} /> },
  {
    name: 'Reason',
    isMinor: true,
    width: '24rem',
    cell: (entry) => (
      <>
        {entry.outcome === 'rejected' && entry.unlisted !== undefined && (
          <>
            <Badge tone="warn">+{formatCount(entry.unlisted)} similar</Badge>{' '}
          </>
        )}
        <IngestReason entry={entry} />
      </>
    ),
  },
  {
    name: 'Arrived',
    isMinor: true,
    isNumber: true,
    width: '11rem',
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
  },
];

/** A message opens inside its request. The user filter is passed on, since the message may not name its user. */
const entrySearch = (
  entry: IngestEntry,
  customUserId: string,
): Readonly<Record<string, string>> => ({
  ...(entry.outcome !== 'rejected' && { message: String(entry.index) }),
  ...(customUserId !== '' && { customUserId }),
});

const REASONS = [...new Set([...RECEIPT_REASONS, ...Object.keys(ERROR_CODES)])];

export function IngestPage() {
  const filters = useFilters(['outcome', 'reason', 'requestId', 'messageId', 'customUserId']);
  const customUserId = filters.get('customUserId');
  const [isLive, setLive] = useState(true);
  const navigate = useNavigate();
  useLive('ingest', ['ingest'], isLive);
  return (
    <Page
      title="Ingest log"
      isList
      actions={
        <Button onClick={() => setLive(!isLive)}>{isLive ? 'Pause' : 'Resume live updates'}</Button>
      }
    >
      <Arrivals />
      <FilterBar>
        <ChoiceFilter
          label="Outcome"
          {...filters.field('outcome')}
          options={toOptions([...MESSAGE_OUTCOMES, 'rejected'], 'All outcomes')}
        />
        <ChoiceFilter
          label="Reason"
          {...filters.field('reason')}
          options={toOptions(REASONS, 'All reasons')}
        />
        <TextFilter label="Message ID" {...filters.field('messageId')} />
        <TextFilter label="User ID" {...filters.field('customUserId')} />
        <TextFilter
          label="Request ID"
          {...filters.field('requestId')}
          read={readUuid}
          error="Enter a full request ID"
        />
      </FilterBar>
      {customUserId !== '' && filters.get('outcome') === '' && (
        <RejectedNotice customUserId={customUserId} />
      )}
      <List<IngestEntry>
        label="Ingest log"
        path="ingest"
        query={filters.values}
        columns={buildColumns(customUserId)}
        rowKey={(entry) =>
          `${entry.requestId} ${entry.outcome === 'rejected' ? 'request' : entry.index}`
        }
        onOpen={(entry) =>
          void navigate({
            to: '/ingest/$requestId',
            params: { requestId: entry.requestId },
            search: entrySearch(entry, customUserId) as never,
          })
        }
        isLined
        isLive={isLive}
        fileName="ingest.csv"
        empty={
          filters.isAny ? (
            <Empty
              title="No matching entries"
              icon="search"
              action={<Button onClick={filters.clear}>Clear filters</Button>}
            >
              A missing request never arrived, or its key belongs to another application. Rejected
              requests have no message IDs, and a user only if the body could be read. Search for
              those by outcome or reason.
            </Empty>
          ) : (
            <FirstEmpty
              title="No events yet"
              action={<Link to="/start">First steps</Link>}
              ghost={[
                ['09:41:08', 'item_viewed', 'ada', 'Processed'],
                ['09:41:07', 'order_paid', 'yossi', 'Processed'],
                ['09:41:02', 'order_paid', 'mina', 'Rejected: /time is in the future'],
              ]}
              call={INGEST_CALL}
            >
              The outcome of every submitted message and every rejected request, newest first. Send
              a message with <code>POST /</code>: a 200 says that it was accepted, this log whether
              it was stored.
            </FirstEmpty>
          )
        }
      />
    </Page>
  );
}

/** Points to the rejected requests of a user: they are indexed, while the search for messages starts at the newest. */
function RejectedNotice({ customUserId }: { readonly customUserId: string }) {
  const read = useRead<Listed<IngestEntry>>('ingest', {
    query: { customUserId, outcome: 'rejected', limit: 1 },
  });
  const newest = read.data?.items[0];
  if (newest === undefined) return null;
  return (
    <div className="inside">
      <Callout>
        <div className="row between">
          <span>
            Requests for this user were rejected, most recently <Time at={newest.receivedAt} />.
          </span>
          <Link to="." search={{ customUserId, outcome: 'rejected' } as never}>
            Show rejected requests
          </Link>
        </div>
      </Callout>
    </div>
  );
}
