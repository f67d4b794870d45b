import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { Rehearsal } from '../../api/types.ts';
import { FRAME } from '../../automations/faults.ts';
import { FrameCard } from '../../automations/frame-card.tsx';
import { rehearsedNumbers } from '../../automations/step-numbers.ts';
import { StepTree } from '../../automations/step-tree.tsx';
import { findPlace } from '../../automations/tree.ts';
import { useRehearsed } from '../../automations/use-rehearsed.ts';
import { goalOf, nodeName, refusalText, type AutomationNames } from '../../automations/words.ts';
import { channelName } from '../../labels/channel-name.ts';
import { explainDelivery } from '../../labels/explain.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { useFilters } from '../../ui/filters.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Empty } from '../../ui/states.tsx';
import { RehearsalPeople } from './rehearsal-people.tsx';
import { skipText } from './run-panel.tsx';

type Reasons = Readonly<Record<string, number>>;
type Props = { readonly rehearsal: Rehearsal; readonly names: AutomationNames };

const sumOf = (reasons: Reasons): number =>
  Object.values(reasons).reduce((total, count) => total + count, 0);

/** Numbers, days, steps and people of a rehearsal. */
export function RehearsalResult({ rehearsal, names }: Props) {
  const { status, entered } = rehearsal;
  if (status === 'completed' && entered === 0)
    return (
      <>
        <Card>
          <Empty title="No one would have entered" icon="users">
            {noOneText(rehearsal)}
          </Empty>
        </Card>
        <Refused rehearsal={rehearsal} />
      </>
    );
  return (
    <>
      <Figures rehearsal={rehearsal} />
      <div className="rehearsal-grid">
        <div className="stack">
          <Card title="Entered a day" description="Days of UTC.">
            <LazyChart
              label="People who would have entered, by day"
              unit="people"
              basis="arrival"
              timeZone="UTC"
              times={allDays(rehearsal).map((day) => Date.parse(`${day}T00:00:00Z`))}
              series={[{ name: 'Entered', values: enteredByDay(rehearsal) }]}
            />
          </Card>
          <Channels rehearsal={rehearsal} />
          <Missed rehearsal={rehearsal} />
          <Refused rehearsal={rehearsal} />
        </div>
        <Steps rehearsal={rehearsal} names={names} />
      </div>
      <RehearsalPeople rehearsal={rehearsal} names={names} />
    </>
  );
}

function noOneText({ people: { of }, definition: { trigger } }: Rehearsal): string {
  if (!('event' in trigger))
    return of === 0
      ? 'No one is registered.'
      : `Of ${counted(of, 'person', 'people')}, none has such a moment in this period.`;
  return of === 0
    ? 'No registered person did what starts it in this period.'
    : `${counted(of, 'person', 'people')} did what starts it, but did not enter.`;
}

const DAY_MS = 86_400_000;

/** Also those on which nothing happened. */
function allDays({ from, to }: Rehearsal): readonly string[] {
  const first = Math.floor(from / DAY_MS);
  const length = Math.floor(to / DAY_MS) - first + 1;
  return Array.from({ length }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function enteredByDay(rehearsal: Rehearsal): readonly number[] {
  const known = new Map(rehearsal.days.map(({ day, entered }) => [day, entered]));
  return allDays(rehearsal).map((day) => known.get(day) ?? 0);
}

const CHANNELS_SHOWN = 3;
const FIGURES_MAX = 6;

function Figures({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const { entered, active, goals, channels, unreachable, from, to, definition } = rehearsal;
  const sent = channels.reduce((total, each) => total + each.sent, 0);
  const missed = sumOf(unreachable);
  const aDay = Math.round(entered / Math.max(1, Math.round((to - from) / DAY_MS)));
  const hasGoal = (definition.exit ?? []).some((each) => goalOf(each) === 'goal');
  const figures: readonly (readonly [string, number, string])[] = [
    ['Would have entered', entered, aDay > 0 ? `about ${formatCount(aDay)} a day` : ''],
    ...channels
      .slice(0, CHANNELS_SHOWN)
      .map(
        ({ channel, sent }) =>
          [channelName(channel), sent, sent === 1 ? 'message' : 'messages'] as const,
      ),
    ...(hasGoal ? [['Goal', goals, formatShare(goals, entered)] as const] : []),
    ['Would not arrive', missed, sent === 0 ? '' : `${formatShare(missed, sent)} of messages`],
    ...(active > 0 ? [['Still on their way', active, 'at the end'] as const] : []),
  ];
  return (
    <dl className="figures">
      {figures.slice(0, FIGURES_MAX).map(([name, count, base]) => (
        <div key={name}>
          <dt className="soft">{name}</dt>
          <dd>
            <strong>{formatCount(count)}</strong>
            <span className="soft small">{base}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Channels({ rehearsal: { channels } }: { readonly rehearsal: Rehearsal }) {
  if (channels.length <= CHANNELS_SHOWN) return null;
  return (
    <Card title="Messages by channel">
      <Rows
        rows={channels.map(({ channel, sent, unreachable }) => [
          channelName(channel),
          sent,
          sumOf(unreachable) > 0 ? `${formatCount(sumOf(unreachable))} would not arrive` : '',
        ])}
      />
    </Card>
  );
}

/** Messages that would not arrive, and people for whom there was none. */
function Missed({ rehearsal: { unreachable, skipped } }: { readonly rehearsal: Rehearsal }) {
  const rows = [
    ...Object.entries(unreachable).map(
      ([reason, count]) => [explainDelivery(reason).summary, count, ''] as const,
    ),
    ...Object.entries(skipped).map(([reason, count]) => [skipText(reason), count, ''] as const),
  ];
  if (rows.length === 0) return null;
  return (
    <Card title="Not reached" description="Each message, by reason.">
      <Rows rows={rows.toSorted(([, a], [, b]) => b - a)} />
    </Card>
  );
}

function Refused({ rehearsal: { refused, definition } }: { readonly rehearsal: Rehearsal }) {
  const kept = useRehearsed();
  const rows = Object.entries(refused).map(
    ([reason, count]) => [refusalText(reason, definition), count, ''] as const,
  );
  if (rows.length === 0) return null;
  return (
    <Card title="Did not enter" description="What could have let them in, by reason.">
      <Rows rows={rows.toSorted(([, a], [, b]) => b - a)} />
      <p className="small">
        <Link to="." search={{ ...kept, step: FRAME } as never}>
          Change who enters
        </Link>
      </p>
    </Card>
  );
}

function Rows({ rows }: { readonly rows: readonly (readonly [string, number, string])[] }) {
  return (
    <dl className="step-facts">
      {rows.map(([name, count, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="numbers">
            {formatCount(count)}
            {note !== '' && <span className="soft"> {note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const NOTHING = (): void => undefined;

/** The steps as they were rehearsed, with what came to each. */
function Steps({ rehearsal, names }: Props) {
  const { definition, nodes, entered, goals } = rehearsal;
  const filters = useFilters(['rehearsed']);
  const opened = filters.get('rehearsed');
  const [active, setActive] = useState(FRAME);
  const place = findPlace(definition.nodes, opened);
  const node = nodes.find(({ id }) => id === opened);
  return (
    <>
      <div className="canvas rehearsed">
        <StepTree
          {...{ definition, names, active }}
          opened={place === undefined ? '' : opened}
          numbers={rehearsedNumbers(definition, nodes)}
          faulty={new Set()}
          mayEdit={false}
          head={
            <FrameCard
              definition={definition}
              names={names}
              report={{ entered, goals }}
              isOpen={false}
              isFaulty={false}
            />
          }
          onActive={setActive}
          onOpen={(key) => filters.set('rehearsed', key === FRAME ? '' : key)}
          onAdd={NOTHING}
          onRemove={NOTHING}
          onMove={NOTHING}
        />
      </div>
      {place !== undefined && (
        <SidePanel
          title={nodeName(definition, opened, names)}
          onClose={() => filters.set('rehearsed', '')}
        >
          <div className="inside">
            {node === undefined || node.entered === 0 ? (
              <p className="soft">No one would have come here.</p>
            ) : (
              <Rows
                rows={[
                  ['Would have come here', node.entered, ''],
                  ...(node.sent === undefined ? [] : [['Messages', node.sent, ''] as const]),
                  ...Object.entries(node.unreachable ?? {}).map(
                    ([reason, count]) =>
                      [explainDelivery(reason).summary, count, 'would not arrive'] as const,
                  ),
                  ...Object.entries(node.skipped ?? {}).map(
                    ([reason, count]) => [skipText(reason), count, ''] as const,
                  ),
                  ...(node.waiting > 0 ? [['Still wait here', node.waiting, ''] as const] : []),
                ]}
              />
            )}
          </div>
        </SidePanel>
      )}
    </>
  );
}
