import { Link, useParams } from '@tanstack/react-router';
import { statusOf } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { IngestEntry, IngestRefusal, IngestReport, StoredEvent } from '../../api/types.ts';
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
import { Why } from './why.tsx';

const ASK_AGAIN_MS = 2_000;
const MESSAGES_MAX = 500;

/** One request: its messages with what became of each, or why all of it was refused. */
export function RequestPage() {
  const { requestId: written = '' } = useParams({ strict: false });
  const requestId = readUuid(written) ?? written;
  const report = useRead<IngestReport>(`ingest/${encodeURIComponent(requestId)}`, {
    everyMs: ASK_AGAIN_MS,
    until: ({ complete }) => complete,
  });
  // Of whom the log was asked that led here.
  const asked = useFilters(['customUserId']).values;
  const isUnknown = statusOf(report.error) === 404;
  const refusals = useRead<Listed<IngestEntry>>('ingest', {
    query: { requestId, outcome: 'refused', limit: 1 },
    enabled: isUnknown || report.data !== undefined,
  });
  const refusal = refusals.data?.items.find((entry) => entry.outcome === 'refused');
  return (
    <Page
      title="Request"
      back={
        <Link to="/ingest" search={asked as never}>
          ← Ingest log
        </Link>
      }
      description={<CopyId id={requestId} label="the request id" />}
    >
      {report.data !== undefined && <Accepted report={report.data} />}
      {refusal !== undefined && <Refused entry={refusal} />}
      {isUnknown && refusals.isSuccess && refusal === undefined && <Unknown />}
      {report.data === undefined &&
        (report.error === null || (isUnknown && refusals.isPending)) && <Loading />}
      {isUnknown && refusals.isError && (
        <Failure error={refusals.error} onRetry={() => refusals.refetch()} />
      )}
      {report.data === undefined && report.error !== null && !isUnknown && (
        <Failure error={report.error} onRetry={() => report.refetch()} />
      )}
    </Page>
  );
}

function Unknown() {
  return (
    <Card>
      <Empty title="Nothing is known of this request" icon="search">
        It never arrived, it is of another application, no consumer has read it yet, or it is older
        than the log goes back.
      </Empty>
    </Card>
  );
}

function Refused({ entry }: { readonly entry: IngestRefusal }) {
  return (
    <Card
      title={entry.status < 400 ? 'Some messages were rejected' : `Refused with ${entry.status}`}
      actions={<StatusBadge status="refused" />}
    >
      <Why entry={entry} isWhole />
      <Facts
        facts={[
          ['Arrived', <Time at={entry.receivedAt} />],
          ['At', <code>{entry.path}</code>],
          ['User', <UserLink customUserId={entry.customUserId} />],
        ]}
      />
    </Card>
  );
}

type Message = IngestReport['messages'][number];

function Accepted({ report }: { readonly report: IngestReport }) {
  const { requestId } = report;
  const filters = useFilters(['message', 'customUserId']);
  const events = useRead<Listed<StoredEvent>>('events', {
    query: { requestId, limit: MESSAGES_MAX },
  });
  const times = new Map(events.data?.items.map(({ id, time }) => [id, time]));
  const opened = filters.get('message');
  return (
    <Card
      title={
        report.complete ? 'Accepted, and all is decided' : 'Accepted; some is still being decided'
      }
      description={
        <>
          Arrived <Time at={report.receivedAt} />. Open a message for what is stored of it.
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
          { name: 'Why', hasOwnLine: true, cell: (message) => <Why entry={message} isWhole /> },
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
