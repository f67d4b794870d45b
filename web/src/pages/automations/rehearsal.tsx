import { useEffect, useState } from 'react';
import { errorMessage, httpStatus, readFieldErrors } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Rehearsal } from '../../api/types.ts';
import { placeFaults } from '../../automations/faults.ts';
import type { AutomationDraft } from '../../automations/use-automation-draft.ts';
import { REHEARSED } from '../../automations/use-rehearsed.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { ErrorDetails } from '../../ui/error-details.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Time, TimeRange } from '../../ui/time.tsx';
import { Views } from '../../ui/views.tsx';
import { RehearsalResult } from './rehearsal-result.tsx';

const LIVE_MS = 1_000;
const DAY_MS = 86_400_000;
const PERIODS = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];

type TabProps = { readonly path: string; readonly draft: AutomationDraft };

/** What the draft would have done with what people did: nothing is sent. */
export function RehearsalTab({ path, draft }: TabProps) {
  const { names } = useAutomationNames();
  const filters = useFilters(REHEARSED);
  const id = filters.get('rehearsal');
  const days = filters.get('days') === '30' ? '30' : '7';
  const may = useMay('changeAutomations');
  const [isSaving, setSaving] = useState(false);
  // It ends when the service begins it: the clock of the browser may be ahead.
  const start = useChange<void, { readonly rehearsalId: string }>(
    () => ({
      path: `${path}/rehearse`,
      method: 'POST',
      body: { from: Date.now() - Number(days) * DAY_MS },
    }),
    ['rehearsals'],
  );
  const run = async (): Promise<void> => {
    setSaving(true);
    const isSaved = await draft.check();
    setSaving(false);
    // What keeps it from being saved is shown above.
    if (!isSaved) return;
    start.mutate(undefined, {
      onSuccess: ({ rehearsalId }) => filters.set('rehearsal', rehearsalId),
    });
  };
  const read = useRead<Rehearsal>(`rehearsals/${encodeURIComponent(id)}`, {
    enabled: id !== '',
    everyMs: LIVE_MS,
    until: ({ status }) => status !== 'running',
  });
  const isRunning = read.data?.status === 'running';
  const isGone = httpStatus(read.error) === 404;
  const button = may && (
    <Button
      {...((id === '' || isGone) && { kind: 'primary' })}
      isBusy={isSaving || start.isPending || isRunning}
      onClick={() => void run()}
    >
      <Icon name="play" /> {id === '' || isGone ? 'Rehearse' : 'Again'}
    </Button>
  );
  return (
    <>
      <div className="rehearsal-bar">
        <Views
          label="Period"
          views={PERIODS}
          value={days}
          onChange={(next) => filters.set('days', next)}
        />
        {button}
        <span className="grow" />
        <Badge>Nothing is sent</Badge>
      </div>
      <StartFault error={start.error} draft={draft} />
      {id === '' || isGone ? (
        <Card>
          <Empty
            title={isGone ? 'This rehearsal is not kept any more' : 'What would it have done?'}
            icon="automations"
          >
            {isGone
              ? 'A rehearsal is kept for 7 days. Rehearse again to see what it would do now.'
              : 'It goes through what people did in this period and counts, step by step, whom it would have written to. No one enters, and no message is sent.'}
          </Empty>
        </Card>
      ) : (
        <Loaded read={read} lines={6}>
          {(rehearsal) => (
            <>
              <Progress rehearsal={rehearsal} />
              <Notes rehearsal={rehearsal} draft={draft} />
              {rehearsal.status !== 'failed' && (
                <RehearsalResult rehearsal={rehearsal} names={names} />
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

/** Why it did not begin. */
function StartFault({
  error,
  draft: { definition },
}: {
  readonly error: Error | null;
  readonly draft: AutomationDraft;
}) {
  if (error === null) return null;
  const faults = placeFaults(definition, readFieldErrors(error));
  return (
    <Callout tone="bad">
      <div role="alert">
        {httpStatus(error) === 409 ? (
          <p>Another rehearsal of this application is running. Try again when it is done.</p>
        ) : faults.some(({ error: { pointer } }) => pointer.endsWith('/trigger')) ? (
          <p>
            What begins with the API can’t be rehearsed: whom it would have named is not stored. An
            event, a segment, a schedule or a date can.
          </p>
        ) : faults.some(({ error: { pointer } }) => pointer.endsWith('/segment')) ? (
          <p>
            A segment of profiles alone can’t be rehearsed: when a profile changed is not stored, so
            who entered or left the segment is not known. One that asks for what people did can.
          </p>
        ) : (
          <>
            <p>{errorMessage(error)}</p>
            {faults.map(({ text, error: { pointer } }) => (
              <p key={pointer}>{text}</p>
            ))}
          </>
        )}
        <ErrorDetails error={error} />
      </div>
    </Callout>
  );
}

/** How far it is, and for those who do not see it, when it is done. */
function Progress({
  rehearsal: { status, people, events, entered },
}: {
  readonly rehearsal: Rehearsal;
}) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    setSaid(
      status === 'running'
        ? 'The rehearsal runs.'
        : status === 'completed'
          ? `The rehearsal is done: ${formatCount(entered)} would have entered.`
          : 'The rehearsal failed.',
    );
    // Numbers on the way are not said.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status]);
  const share = people.of === 0 ? 0 : people.rehearsed / people.of;
  return (
    <>
      <p role="status" className="hidden-visually">
        {said}
      </p>
      {status === 'running' && (
        <div className="rehearsal-progress">
          <div
            role="progressbar"
            aria-label="People rehearsed"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(share * 100)}
          >
            <span style={{ inlineSize: `${share * 100}%` }} />
          </div>
          <span className="soft small numbers">
            {people.of === 0
              ? 'Looking for people who did what starts it…'
              : `${formatCount(people.rehearsed)} of ${counted(people.of, 'person', 'people')}, ${counted(events, 'event', 'events')} read`}
          </span>
        </div>
      )}
    </>
  );
}

const ERRORS: Readonly<Record<NonNullable<Rehearsal['error']>, string>> = {
  interrupted: 'It was interrupted three times, as while services restart.',
  timed_out: 'The database did not answer in time. A shorter period asks less of it.',
  internal: 'It failed for a reason of its own. The log of the scheduler has it.',
};
const CUTS: Readonly<Record<NonNullable<Rehearsal['cut']>, string>> = {
  events: 'It reads at most 1,000,000 events.',
  time: 'It takes at most 5 minutes.',
};

/** What one must know to read the numbers. */
function Notes({
  rehearsal,
  draft,
}: {
  readonly rehearsal: Rehearsal;
  readonly draft: AutomationDraft;
}) {
  const { status, cut, people, error, definition, from, to, asOf } = rehearsal;
  const isOld = status !== 'running' && !isSame(definition, draft.definition);
  return (
    <>
      {status === 'failed' && (
        <Callout tone="bad">
          <p role="alert">
            <strong>The rehearsal failed.</strong> {ERRORS[error ?? 'internal']}
          </p>
        </Callout>
      )}
      {cut !== null && (
        <Callout tone="warn">
          <p>
            <strong>
              {formatCount(people.rehearsed)} of {counted(people.of, 'person was', 'people were')}{' '}
              rehearsed.
            </strong>{' '}
            {CUTS[cut]} They were drawn at random, and all numbers are of them alone.
          </p>
        </Callout>
      )}
      {isOld && (
        <Callout>
          <p>The draft was changed since. Rehearse again to see what it does now.</p>
        </Callout>
      )}
      {status === 'completed' && (
        <p className="soft small">
          What was received <TimeRange from={from} to={to} />, with profiles, segments and settings
          of <Time at={asOf} form="clock" />. Messages would have been sent at once; no one opens or
          clicks in a rehearsal, so who would wait for that waits to the end.
          {definition.throttle !== undefined &&
            ' The limit of messages in a time is left out: with it, some would come later.'}
        </p>
      )}
    </>
  );
}

/** Postgres keeps no order of keys. */
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other);
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
