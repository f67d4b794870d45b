import { Link, useParams } from '@tanstack/react-router';
import { httpStatus } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { IngestEntry, IngestRejection, IngestReport, StoredEvent } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { readUuid } from '../../lib/ids.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { CopyId } from '../../ui/copy-button.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { MessageDialog } from './message.tsx';
import { IngestExplanation } from './ingest-explanation.tsx';

const REFRESH_MS = 2_000;
const MESSAGES_MAX = 500;

/** One request: its messages with their outcomes, or why it was rejected. */
export function RequestPage() {
  const { requestId: written = '' } = useParams({ strict: false });
  const requestId = readUuid(written) ?? written;
  const report = useRead<IngestReport>(`ingest/${encodeURIComponent(requestId)}`, {
    everyMs: REFRESH_MS,
    until: ({ complete }) => complete,
  });
  // The user filter of the log that linked here.
  const userFilter = useFilters(['customUserId']).values;
  const isUnknown = httpStatus(report.error) === 404;
  const rejections = useRead<Listed<IngestEntry>>('ingest', {
    query: { requestId, outcome: 'rejected', limit: 1 },
    enabled: isUnknown || report.data !== undefined,
  });
  const rejection = rejections.data?.items.find((entry) => entry.outcome === 'rejected');
  return (
    <Page
      title="Request"
      back={
        <Link to="/ingest" search={userFilter as never}>
          ← Ingest log
        </Link>
      }
      description={<CopyId id={requestId} label="request ID" />}
    >
      {report.data !== undefined && <AcceptedRequest report={report.data} />}
      {rejection !== undefined && <RejectedRequest entry={rejection} />}
      {isUnknown && rejections.isSuccess && rejection === undefined && <UnknownRequest />}
      {report.data === undefined &&
        (report.error === null || (isUnknown && rejections.isPending)) && <Loading />}
      {isUnknown && rejections.isError && (
        <Failure error={rejections.error} onRetry={() => rejections.refetch()} />
      )}
      {report.data === undefined && report.error !== null && !isUnknown && (
        <Failure error={report.error} onRetry={() => report.refetch()} />
      )}
    </Page>
  );
}

function UnknownRequest() {
  return (
    <Card>
      <Empty title="Request not found" icon="search">
        It never arrived, belongs to another application, is not processed yet, or has expired.
      </Empty>
    </Card>
  );
}

function RejectedRequest({ entry }: { readonly entry: IngestRejection }) {
  return (
    <Card
      title={entry.status < 400 ? 'Some messages rejected' : `Rejected with ${entry.status}`}
      actions={<StatusBadge status="rejected" />}
    >
      <IngestExplanation entry={entry} />
      <Facts
        facts={[
          ['Arrived', <Time at={entry.receivedAt} />],
          ['Path', <code>{entry.path}</code>],
          ['User', <UserLink customUserId={entry.customUserId} />],
        ]}
      />
    </Card>
  );
}

type Message = IngestReport['messages'][number];

function AcceptedRequest({ report }: { readonly report: IngestReport }) {
  const { requestId } = report;
  const filters = useFilters(['message', 'customUserId']);
  const events = useRead<Listed<StoredEvent>>('events', {
    query: { requestId, limit: MESSAGES_MAX },
  });
  const times = new Map(events.data?.items.map(({ id, time }) => [id, time]));
  const opened = filters.get('message');
  return (
    <Card
      title={report.complete ? 'Accepted – all messages processed' : 'Accepted – still processing'}
      description={
        <>
          Arrived <Time at={report.receivedAt} />. Open a message to see what is stored.
        </>
      }
      isFlush
    >
      <Table<Message>
        label="Messages of the request"
        rows={report.messages}
        rowKey={({ index }) => String(index)}
        onOpen={({ index }) => filters.set('message', String(index))}
        columns={[
          { name: '#', isNumber: true, isMinor: true, width: '4rem', cell: ({ index }) => index },
          {
            name: 'Message',
            cell: ({ id, type, index }) => (
              <>
                <Link
                  to="."
                  search={{ ...filters.values, message: String(index) } as never}
                  resetScroll={false}
                  className="wrap"
                  dir="auto"
                >
                  {id}
                </Link>
                <div className="soft small">{humanize(type)}</div>
              </>
            ),
          },
          {
            name: 'Outcome',
            width: '8rem',
            cell: ({ outcome }) => <StatusBadge status={outcome} />,
          },
          {
            name: 'Event time',
            isMinor: true,
            width: '11rem',
            cell: ({ id, outcome }) => <Time at={outcome === 'processed' ? times.get(id) : null} />,
          },
          {
            name: 'Reason',
            hasOwnLine: true,
            cell: (message) => <IngestExplanation entry={message} />,
          },
        ]}
      />
      {opened !== '' && (
        <MessageDialog
          key={opened}
          requestId={requestId}
          index={opened}
          customUserId={filters.get('customUserId')}
          onClose={() => filters.set('message', '')}
        />
      )}
    </Card>
  );
}
