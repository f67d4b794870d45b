import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { ExplainedPart, SegmentExplanation } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { toText } from '../../lib/text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { DateTimeField } from '../../ui/date-field.tsx';
import { Form, TextField } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { isComplete } from '../../conditions/new-condition.ts';
import { describeCondition } from '../../conditions/describe-condition.ts';
import { listParts, type Part } from './explained-parts.ts';
import type { SegmentFacts } from './segment-facts.ts';

type Props = { readonly condition: Condition; readonly facts: SegmentFacts };

/** Asks why a user is, or is not, a member of the condition as it is edited. */
export function Explain({ condition, facts }: Props) {
  const [customUserId, setCustomUserId] = useState('');
  const [time, setTime] = useState('');
  const explain = useChange<Asked, SegmentExplanation>(
    (body) => ({ path: 'segments/explain', method: 'POST', body }),
    [],
  );
  const asked = explain.variables;
  const isMissing = httpStatus(explain.error) === 404;
  return (
    <Card title="Why?" description="Each part of the condition for one user, with its evidence.">
      <Form
        onSubmit={() =>
          explain.mutate({
            condition,
            customUserId: customUserId.trim(),
            ...(time !== '' && { at: new Date(time).getTime() }),
          })
        }
        error={isMissing ? null : explain.error}
      >
        <TextField
          label="User ID"
          pointer="/customUserId"
          value={customUserId}
          onChange={setCustomUserId}
          spellCheck={false}
          autoComplete="off"
        />
        <DateTimeField
          label="Time in the past (optional)"
          pointer="/at"
          value={time}
          onChange={setTime}
          hint={`In your time zone, ${ownTimeZone()}`}
        />
        <div className="row">
          <Button
            type="submit"
            isBusy={explain.isPending}
            disabled={customUserId.trim() === '' || !isComplete(condition)}
          >
            Explain
          </Button>
        </div>
      </Form>
      <div role="status" className="stack tight">
        {isMissing && <Callout tone="warn">No user with this ID is registered.</Callout>}
        {explain.data !== undefined && asked !== undefined && (
          <Explanation explanation={explain.data} asked={asked} facts={facts} />
        )}
      </div>
    </Card>
  );
}

type Asked = {
  readonly condition: Condition;
  readonly customUserId: string;
  /** In milliseconds; absent: now. */
  readonly at?: number;
};

function Explanation({
  explanation,
  asked,
  facts,
}: {
  readonly explanation: SegmentExplanation;
  readonly asked: Asked;
  readonly facts: SegmentFacts;
}) {
  const { isMember, tree } = explanation;
  return (
    <>
      <Callout tone={isMember ? 'good' : 'info'}>
        <strong>
          <bdi>{asked.customUserId}</bdi> {asked.at === undefined ? 'is' : 'was'}{' '}
          {!isMember && 'not '}a member
          {asked.at !== undefined && (
            <>
              {' '}
              at <Time at={asked.at} />
            </>
          )}
          .
        </strong>
      </Callout>
      <ul className="explained">
        {listParts({ condition: asked.condition, tree }, facts.conditions).map((part) => (
          <ExplainedLine key={part.key} part={part} facts={facts} />
        ))}
      </ul>
    </>
  );
}

function ExplainedLine({ part, facts }: { readonly part: Part; readonly facts: SegmentFacts }) {
  const { node, depth, explained } = part;
  return (
    <li style={{ marginInlineStart: `${depth * 1.1}rem` }}>
      <Badge tone={explained.result ? 'good' : 'bad'}>{explained.result ? 'Yes' : 'No'}</Badge>{' '}
      <span dir="auto" className="wrap">
        {node === undefined ? humanize(explained.key) : describeCondition(node, facts.names)}
      </span>
      <Evidence evidence={explained.evidence} />
      {explained.isAsOfNow === true && (
        <div className="soft small">As it is now: earlier profiles are not stored.</div>
      )}
    </li>
  );
}

const STATE_WORDS = {
  dropped: 'and dropped out',
  open: 'and may still go on',
  converted: 'and converted',
} as const;

function Evidence({ evidence }: { readonly evidence: ExplainedPart['evidence'] }) {
  if (evidence === undefined) return null;
  const { value, count, sum, followed, first, last, at, reason, reached, state } = evidence;
  return (
    <div className="soft small wrap">
      {'value' in evidence && (
        <>
          The value is <code dir="auto">{toText(value) || JSON.stringify(value)}</code>.{' '}
        </>
      )}
      {reached !== undefined && state !== undefined && (
        <>
          Came to step {reached} {STATE_WORDS[state]}.{' '}
        </>
      )}
      {count !== undefined && <>Found {count}. </>}
      {sum !== undefined && <>Revenue {sum}. </>}
      {followed !== undefined && followed > 0 && <>After {followed}, the other event came. </>}
      {first !== undefined && (
        <>
          First <Time at={Number(first)} />, last <Time at={Number(last)} />.{' '}
        </>
      )}
      {at !== undefined && (
        <>
          At <Time at={at} />.{' '}
        </>
      )}
      {reason !== undefined && <>{humanize(reason)}. </>}
    </div>
  );
}
