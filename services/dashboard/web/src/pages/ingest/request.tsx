import { Link, useParams } from '@tanstack/react-router';
import { statusOf } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { IngestEntry, IngestReport, StoredEvent } from '../../api/types.ts';
import { readUuid } from '../../lib/ids.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { CopyId } from '../../ui/copy-button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Why } from './why.tsx';

const ASK_AGAIN_MS = 2_000;
const MESSAGES_MAX = 500;

/** One request: its messages with what became of each, or why all of it was refused. */
export function RequestPage() {
  const { requestId: written = '' } = useParams({ strict: false });
  const requestId = readUuid(written) ?? written;
  const report = useRead<IngestReport>(`ingest/${encodeURIComponent(requestId)}`, { everyMs: ASK_AGAIN_MS, until: ({ complete }) => complete });
  const isUnknown = statusOf(report.error) === 404;
  const refusals = useRead<Listed<IngestEntry>>('ingest', { query: { requestId, limit: 1 }, enabled: isUnknown });
  const refusal = refusals.data?.items[0];
  return (
    <Page title="Request" back={<Link to="/ingest">← Ingest log</Link>} description={<CopyId id={requestId} label="the request id" />}>
      {report.data !== undefined ? <Accepted report={report.data} /> : isUnknown && refusal !== undefined ? <Refused entry={refusal} /> : isUnknown && refusals.isSuccess ? <Unknown /> : null}
      {report.data === undefined && (report.error === null || (isUnknown && refusals.isPending)) && <Loading />}
      {isUnknown && refusals.isError && <Failure error={refusals.error} onRetry={() => refusals.refetch()} />}
      {report.data === undefined && report.error !== null && !isUnknown && <Failure error={report.error} onRetry={() => report.refetch()} />}
    </Page>
  );
}

function Unknown() {
  return (
    <Card>
      <Empty title="Nothing is known of this request" icon="search">
        It never arrived, it is of another application, no consumer has read it yet, or it is older than the log goes back.
      </Empty>
    </Card>
  );
}

function Refused({ entry }: { readonly entry: IngestEntry }) {
  return (
    <Card title={`Refused with ${entry.status}`} actions={<StatusBadge status="refused" />}>
      <Why entry={entry} isWhole />
      <Facts
        facts={[
          ['Arrived', <Time at={entry.receivedAt} />],
          ['At', <code>{entry.path}</code>],
        ]}
      />
    </Card>
  );
}

type Message = IngestReport['messages'][number];

function Accepted({ report }: { readonly report: IngestReport }) {
  const events = useRead<Listed<StoredEvent>>('events', { query: { requestId: report.requestId, limit: MESSAGES_MAX } });
  const stored = new Map(events.data?.items.map((event) => [event.id, event]));
  return (
    <>
      <Card
        title={report.complete ? 'Accepted, and all is decided' : 'Accepted; some is still being decided'}
        description={
          <>
            Arrived <Time at={report.receivedAt} />
          </>
        }
        isFlush
      >
        <Table<Message>
          label="Messages of the request"
          rows={report.messages}
          rowKey={({ index }) => String(index)}
          columns={[
            { name: '#', isNumber: true, width: '4rem', cell: ({ index }) => index },
            { name: 'Message', cell: ({ id, type }) => (
                <>
                  <span className="wrap">{id}</span>
                  <div className="soft small">{type}</div>
                </>
              ) },
            { name: 'Outcome', width: '8rem', cell: ({ outcome }) => <StatusBadge status={outcome} /> },
            { name: 'Event time', isMinor: true, width: '11rem', cell: ({ id, outcome }) => <Time at={outcome === 'processed' ? stored.get(id)?.time : null} /> },
            { name: 'Why', cell: ({ reason, outcome }) => <Why entry={{ requestId: report.requestId, receivedAt: report.receivedAt, outcome, ...(reason !== undefined && { reason }) }} isWhole /> },
          ]}
        />
      </Card>
      {stored.size > 0 && (
        <Card title="Events that were stored" description="With types as they were read.">
          {[...stored.values()].map((event) => (
            <Json key={event.id} value={event} label={`Event ${event.id}`} />
          ))}
        </Card>
      )}
    </>
  );
}
