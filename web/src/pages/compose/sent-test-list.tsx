import { Link } from '@tanstack/react-router';
import type { SentTests } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';

type Sent = SentTests['items'][number];

/** What became of each test. */
export function SentTestList({ tests }: { readonly tests: readonly Sent[] }) {
  return (
    <div role="status" aria-label="Tests">
      <ul className="stack tight">
        {tests.map((test) => (
          <li key={`${test.to} ${test.template ?? ''}`} className="row">
            <Outcome test={test} />
            <span className="wrap" dir="auto">
              {test.to}
              {test.template !== null && ` · ${test.template}`}
            </span>
            <Why test={test} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Outcome({ test: { ok, status } }: { readonly test: Sent }) {
  if (ok) return <Badge tone="good">{humanize(status)}</Badge>;
  if (status === 'pending') return <Badge tone="info">On its way</Badge>;
  return status === 'not_sent' ? (
    <Badge tone="bad">Not sent</Badge>
  ) : (
    <StatusBadge status={status} />
  );
}

function Why({ test: { detail, reason, providerMessage, campaignId } }: { readonly test: Sent }) {
  const why = detail ?? providerMessage ?? (reason === undefined ? undefined : humanize(reason));
  return (
    <span className="soft small wrap" dir="auto">
      {why}{' '}
      {campaignId !== null && (
        <Link to="/campaigns/$campaignId" params={{ campaignId }}>
          Report
        </Link>
      )}
    </span>
  );
}
