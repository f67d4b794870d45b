import {
  AWAITED_OUTCOMES,
  type AutomationDefinition,
  type AutomationNode,
  type Awaited,
  type AwaitedOutcome,
  type NamedEvent,
  type SplitNode,
  type WaitNode,
} from '@tidings/contracts/automations/definition';
import { LIMITS } from '@tidings/contracts/limits';
import { ConditionBuilder } from '../conditions/condition-builder.tsx';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { NamedEventFields } from '../conditions/event-fields.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { toOptions } from '../ui/options.ts';
import { UntilFields } from './calendar-fields.tsx';
import { SegmentMoveFields } from './segment-move-fields.tsx';
import { SendFields } from './send-fields.tsx';
import type { StepWords } from '../pages/compose/step-words.ts';
import { findPlace, sendsBefore, type Place } from './tree.ts';
import { WinnerFields } from './winner-fields.tsx';
import { branchLetter, OUTCOME_WORDS, stepTitle, type AutomationNames } from './words.ts';

const kindOf = (awaited: Awaited): 'event' | 'segment' | 'message' => {
  if ('event' in awaited) return 'event';
  return 'segment' in awaited ? 'segment' : 'message';
};

type StepFieldsProps = {
  readonly place: Place;
  readonly definition: AutomationDefinition;
  readonly names: AutomationNames;
  readonly words: StepWords;
  readonly onChange: (node: AutomationNode) => void;
};

/** The fields of a step. */
export function StepFields(props: StepFieldsProps) {
  const { place, definition, onChange } = props;
  const { node, pointer } = place;
  if ('delay' in node)
    return (
      <div className="grid narrow">
        <DurationFields
          label="Wait"
          pointer={`${pointer}/delay`}
          duration={node.delay}
          onChange={(delay) => onChange({ ...node, delay })}
        />
      </div>
    );
  if ('waitFor' in node) return <WaitFields {...props} node={node} />;
  if ('if' in node)
    return (
      <ConditionBuilder
        condition={node.if}
        pointer={`${pointer}/if`}
        onChange={(condition) => onChange({ ...node, if: condition })}
      />
    );
  if ('split' in node)
    return (
      <>
        <SplitFields node={node} pointer={pointer} onChange={onChange} />
        <WinnerFields
          node={node}
          definition={definition}
          pointer={`${pointer}/winner`}
          onChange={onChange}
        />
      </>
    );
  if ('send' in node)
    return (
      <SendFields
        step={node.id}
        words={props.words}
        send={node.send}
        trigger={definition.trigger}
        purpose={definition.purpose}
        pointer={`${pointer}/send`}
        onChange={(send) => onChange({ ...node, send })}
      />
    );
  if ('until' in node)
    return (
      <UntilFields
        until={node.until}
        pointer={`${pointer}/until`}
        onChange={(until) => onChange({ ...node, until })}
      />
    );
  return <p className="soft">Everyone who comes here leaves.</p>;
}

function WaitFields({
  node,
  place,
  definition: { nodes },
  names,
  onChange,
}: StepFieldsProps & { readonly node: WaitNode }) {
  const { pointer } = place;
  const { waitFor, timeout } = node;
  const sends = sendsBefore(nodes, place);
  const messages = sends.flatMap((id) => {
    const found = findPlace(nodes, id);
    return found === undefined ? [] : [{ value: id, label: stepTitle(found.node, names) }];
  });
  return (
    <>
      <div className="condition-line">
        <span className="word">until</span>
        <Select
          label="Wait for"
          pointer={`${pointer}/waitFor`}
          value={kindOf(waitFor)}
          options={[
            { value: 'event', label: 'the person does' },
            { value: 'message', label: 'the message' },
            { value: 'segment', label: 'a segment' },
          ]}
          onChange={(next) =>
            onChange({
              ...node,
              waitFor:
                next === 'event'
                  ? { event: '' }
                  : next === 'segment'
                    ? { segment: '', when: 'enters' }
                    : { message: { node: sends.at(-1) ?? '' }, was: 'clicked' },
            })
          }
        />
        {'event' in waitFor ? (
          <NamedEventFields<NamedEvent>
            label="Awaited event"
            node={waitFor}
            pointer={`${pointer}/waitFor`}
            onChange={(next) => onChange({ ...node, waitFor: next })}
          />
        ) : 'segment' in waitFor ? (
          <SegmentMoveFields
            pointer={`${pointer}/waitFor`}
            move={waitFor}
            onChange={(next) => onChange({ ...node, waitFor: next })}
          />
        ) : (
          <>
            <Select
              label="Awaited message"
              pointer={`${pointer}/waitFor/message/node`}
              value={waitFor.message.node}
              options={[{ value: '', label: 'Choose a message' }, ...messages]}
              onChange={(id) =>
                onChange({ ...node, waitFor: { ...waitFor, message: { node: id } } })
              }
            />
            <span className="word">was</span>
            <Select
              label="Was"
              pointer={`${pointer}/waitFor/was`}
              value={waitFor.was}
              options={toOptions(AWAITED_OUTCOMES, undefined, (each) => OUTCOME_WORDS[each])}
              onChange={(was) =>
                onChange({ ...node, waitFor: { ...waitFor, was: was as AwaitedOutcome } })
              }
            />
          </>
        )}
      </div>
      <div className="grid narrow">
        <DurationFields
          label="At most"
          pointer={`${pointer}/timeout`}
          duration={timeout}
          onChange={(next) => onChange({ ...node, timeout: next })}
        />
      </div>
    </>
  );
}

function SplitFields({
  node,
  pointer,
  onChange,
}: {
  readonly node: SplitNode;
  readonly pointer: string;
  readonly onChange: (node: SplitNode) => void;
}) {
  const { split } = node;
  const change = (next: SplitNode['split']): void => onChange({ ...node, split: next });
  return (
    <>
      <p className="soft">Each person goes one way by chance, and the same way every time.</p>
      {split.map((branch, index) => {
        const letter = branchLetter(index);
        return (
          // They have no identity of their own; all their fields are controlled.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="grid narrow">
            <TextField
              label={`Share of ${letter}`}
              type="number"
              min={1}
              max={LIMITS.splitShareMax}
              step={1}
              pointer={`${pointer}/split/${index}/weight`}
              value={String(branch.weight)}
              onChange={(next) => change(split.with(index, { ...branch, weight: Number(next) }))}
            />
            {split.length > 2 && (
              <Button isSmall kind="plain" onClick={() => change(split.toSpliced(index, 1))}>
                Remove {letter}
              </Button>
            )}
          </div>
        );
      })}
      {split.length < LIMITS.automationBranchesMax && (
        <div className="row">
          <Button isSmall onClick={() => change([...split, { weight: 50, nodes: [] }])}>
            + Branch
          </Button>
        </div>
      )}
    </>
  );
}
