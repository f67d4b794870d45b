import type { Rehearsal } from '../../api/types.ts';
import { keyOfNode, findPlace } from '../../automations/tree.ts';
import { KINDS, nodeName, type AutomationNames } from '../../automations/words.ts';
import { channelName } from '../../labels/channel-name.ts';
import { explainDelivery } from '../../labels/explain.ts';
import { formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChannelIcon } from '../../ui/channel-icon.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Icon } from '../../ui/icon.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { TraceLines } from './run-panel.tsx';

type Props = { readonly rehearsal: Rehearsal; readonly names: AutomationNames };
type Rehearsed = Rehearsal['traces'][number];
type Line = Rehearsed['lines'][number];

const isMissed = ({ outcome, unreachable }: Line): boolean =>
  outcome === 'skipped' || unreachable !== undefined;
const OUTCOMES = [
  { value: '', label: 'All', has: () => true },
  { value: 'goal', label: 'Reached the goal', has: hasOutcome('goal') },
  { value: 'sent', label: 'Got a message', has: hasOutcome('sent') },
  { value: 'missed', label: 'Not reached', has: ({ lines }: Rehearsed) => lines.some(isMissed) },
  { value: 'none', label: 'Got nothing', has: (each: Rehearsed) => !hasOutcome('sent')(each) },
] as const;

function hasOutcome(outcome: Line['outcome']): (rehearsed: Rehearsed) => boolean {
  return ({ lines }) => lines.some((line) => line.outcome === outcome && !isMissed(line));
}

/** Names a run: a person may be in it several times. */
const keyOf = ({ customUserId, enteredAt, key }: Rehearsed): string =>
  `${customUserId} ${enteredAt} ${key}`;

/** Some of the people, and what would have happened to each. */
export function RehearsalPeople({ rehearsal, names }: Props) {
  const { traces, entered, definition } = rehearsal;
  const filters = useFilters(['outcome', 'person']);
  if (traces.length === 0) return null;
  const wanted = OUTCOMES.find(({ value }) => value === filters.get('outcome')) ?? OUTCOMES[0];
  const rows = traces.filter((each) => wanted.has(each));
  const opened = traces.find((each) => keyOf(each) === filters.get('person'));
  const columns: readonly Column<Rehearsed>[] = [
    {
      name: 'Person',
      cell: (each) => (
        <Button
          kind="plain"
          isSmall
          className="wrap"
          onClick={() => filters.set('person', keyOf(each))}
        >
          <span {...clampProps(each.customUserId)}>{each.customUserId}</span>
        </Button>
      ),
    },
    {
      name: 'What would have happened',
      cell: (each) => <Way lines={each.lines} {...{ rehearsal, names }} />,
    },
    {
      name: 'Entered',
      width: '9rem',
      isMinor: true,
      cell: ({ enteredAt }) => <Time at={enteredAt} form="clock" />,
    },
  ];
  return (
    <>
      <Card
        isFlush
        title="People"
        description={
          traces.length < entered
            ? `${formatCount(traces.length)} drawn from ${formatCount(entered)}`
            : 'Everyone who would have entered'
        }
        actions={<ChoiceFilter label="Outcome" {...filters.field('outcome')} options={OUTCOMES} />}
      >
        {rows.length === 0 ? (
          <Empty
            title="Of these people, no one"
            icon="search"
            action={<Button onClick={() => filters.set('outcome', '')}>Show all</Button>}
          />
        ) : (
          <Table<Rehearsed>
            label="People of the rehearsal"
            columns={columns}
            rows={rows}
            rowKey={keyOf}
            onOpen={(each) => filters.set('person', keyOf(each))}
          />
        )}
      </Card>
      {opened !== undefined && (
        <SidePanel
          key={keyOf(opened)}
          title={
            <span className="cut">
              <UserLink customUserId={opened.customUserId} />
            </span>
          }
          head={<Badge>Rehearsed: nothing was sent</Badge>}
          onClose={() => filters.set('person', '')}
        >
          <div className="inside">
            <TraceLines
              lines={opened.lines}
              {...{ definition, names }}
              customUserId={opened.customUserId}
            />
          </div>
        </SidePanel>
      )}
    </>
  );
}

/** What of a way stands in its line: where it only goes on says nothing. */
const isShown = ({ outcome }: Line, index: number, lines: readonly Line[]): boolean =>
  outcome !== 'passed' && (outcome !== 'waiting' || index === lines.length - 1);

/** A way in one line: its messages, and how it ended. */
function Way({ lines, rehearsal, names }: Props & { readonly lines: readonly Line[] }) {
  const shown = lines.filter(isShown);
  return (
    <span className="way">
      {shown.map((line, index) => (
        // A line that does not change.
        // oxlint-disable-next-line react/no-array-index-key
        <span
          key={index}
          className="way-step"
          data-outcome={isMissed(line) ? 'missed' : line.outcome}
        >
          {index > 0 && <span className="way-line" aria-hidden="true" />}
          <span className="way-mark" aria-hidden="true">
            <WayIcon line={line} rehearsal={rehearsal} />
          </span>
          {(index > 0 || shown.length === 1) && (
            <span className="small">{wayText(line, rehearsal, names)}</span>
          )}
        </span>
      ))}
    </span>
  );
}

function WayIcon({ line, rehearsal }: { readonly line: Line; readonly rehearsal: Rehearsal }) {
  const { outcome, node, channel } = line;
  if (isMissed(line)) return <Icon name="close" />;
  if (outcome === 'sent' && channel !== undefined)
    return <ChannelIcon channel={channel as never} />;
  if (outcome === 'goal') return <Icon name="start" />;
  if (outcome === 'entered') return <Icon name="bolt" />;
  if (outcome === 'exited' || outcome === 'completed') return <Icon name="leave" />;
  const place = findPlace(rehearsal.definition.nodes, node);
  return <Icon name={place === undefined ? 'clock' : KINDS[keyOfNode(place.node)].icon} />;
}

function wayText(line: Line, { definition }: Rehearsal, names: AutomationNames): string {
  const { outcome, node, channel, unreachable } = line;
  if (outcome === 'sent')
    return unreachable === undefined
      ? channelName(channel ?? '')
      : `${channelName(channel ?? '')}: ${explainDelivery(unreachable).summary}`;
  return WAY_WORDS[outcome] ?? (node === '' ? '' : nodeName(definition, node, names));
}

const WAY_WORDS: Readonly<Partial<Record<Line['outcome'], string>>> = {
  entered: 'Entered',
  skipped: 'No message',
  goal: 'Goal',
  exited: 'Left',
  completed: 'End',
};
