import { ERROR_CODES, MESSAGE_OUTCOMES, RECEIPT_REASONS } from '@tidings/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { IngestEntry } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { readUuid, shortId } from '../../lib/ids.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Select } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LiveBadge } from '../../ui/live-badge.tsx';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { Time } from '../../ui/time.tsx';
import { Arrivals } from './arrivals.tsx';
import { IngestExplanation } from './ingest-explanation.tsx';

const buildColumns = (customUserId: string): readonly Column<IngestEntry>[] => [
  {
    name: 'Arrived',
    isMinor: true,
    width: '9rem',
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
  },
  { name: 'Outcome', width: '8rem', cell: ({ outcome }) => <StatusBadge status={outcome} /> },
  {
    name: 'Message',
    cell: (entry) => (
      <>
        <Link
          to="/ingest/$requestId"
          params={{ requestId: entry.requestId }}
          search={entrySearch(entry, customUserId) as never}
          className="wrap"
          dir="auto"
        >
          {entry.outcome === 'refused' ? `${entry.status} at ${entry.path}` : entry.id}
        </Link>
        <div className="soft small">
          {entry.outcome === 'refused' ? 'Request' : humanize(entry.type)} ·{' '}
          <code title={entry.requestId}>{shortId(entry.requestId)}</code>
          <span className="narrow-only">
            {' · '}
            <Time at={entry.receivedAt} />
          </span>
          {entry.outcome === 'refused' && entry.unlisted !== undefined && (
            <Badge tone="warn">and {entry.unlisted} more like it</Badge>
          )}
        </div>
      </>
    ),
  },
  { name: 'Why', hasOwnLine: true, cell: (entry) => <IngestExplanation entry={entry} /> },
];

/** A message is shown in its request; what it does not say itself, of whom it is, goes along. */
const entrySearch = (
  entry: IngestEntry,
  customUserId: string,
): Readonly<Record<string, string>> => ({
  ...(entry.outcome !== 'refused' && { message: String(entry.index) }),
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
      description="What became of each submitted message, newest first, and of requests that were refused. A 200 says that a message is safe; here it says whether it counted."
      actions={
        <>
          {isLive && <LiveBadge />}
          <Button aria-pressed={isLive} onClick={() => setLive(!isLive)}>
            {isLive ? 'Hold still' : 'Follow'}
          </Button>
        </>
      }
    >
      <Arrivals />
      <Card isFlush>
        <FilterBar>
          <Select
            label="Outcome"
            {...filters.field('outcome')}
            options={toOptions([...MESSAGE_OUTCOMES, 'refused'], 'All outcomes')}
          />
          <Select
            label="Reason"
            {...filters.field('reason')}
            options={toOptions(REASONS, 'All reasons')}
          />
          <TextFilter label="Message id" {...filters.field('messageId')} />
          <TextFilter label="customUserId" {...filters.field('customUserId')} />
          <TextFilter
            label="Request id"
            {...filters.field('requestId')}
            read={readUuid}
            placeholder="From the answer"
            fault="A request id has 32 digits and letters from a to f."
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
            `${entry.requestId} ${entry.outcome === 'refused' ? 'request' : entry.index}`
          }
          onOpen={(entry) =>
            void navigate({
              to: '/ingest/$requestId',
              params: { requestId: entry.requestId },
              search: entrySearch(entry, customUserId) as never,
            })
          }
          fileName="ingest.csv"
          empty={
            filters.isAny ? (
              <Empty
                title="Nothing in the log is like that"
                icon="search"
                action={<Button onClick={filters.clear}>Show everything</Button>}
              >
                A request that is not here never arrived, or its key was not of this application. Of
                refused requests no message ids are kept, and users only where the body could be
                read; nor of messages with a malformed serviceUserId of somebody unknown: look for
                these by outcome or reason.
              </Empty>
            ) : (
              <Empty
                title="Nothing has arrived yet"
                icon="ingest"
                action={<Link to="/start">First steps</Link>}
              >
                Send a message with <code>POST /</code>: it appears here within a second.
              </Empty>
            )
          }
        />
      </Card>
    </Page>
  );
}

/** Messages are looked through from the newest on; what was refused of somebody is known at once, however old. */
function RejectedNotice({ customUserId }: { readonly customUserId: string }) {
  const read = useRead<Listed<IngestEntry>>('ingest', {
    query: { customUserId, outcome: 'refused', limit: 1 },
  });
  const newest = read.data?.items[0];
  if (newest === undefined) return null;
  return (
    <div className="inside">
      <Callout>
        <div className="row between">
          <span>
            Of this user a request was refused, the last time <Time at={newest.receivedAt} />.
          </span>
          <Link to="." search={{ customUserId, outcome: 'refused' } as never}>
            Show only what was refused
          </Link>
        </div>
      </Callout>
    </div>
  );
}
