import { FieldErrors } from '../../ui/field.tsx';
import { Views } from '../../ui/views.tsx';
import { BuilderFactsContext, PartCountsContext } from '../../conditions/builder-context.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { listMissingAudience, type AudienceChoice, type AudienceKind } from './audience.ts';
import type { Draft } from './draft.ts';
import { ListedPeople } from './listed-people.tsx';
import { Reach, type AudienceReach } from './reach.tsx';
import { LeftOut, SegmentFields } from './segment-fields.tsx';
import { Step } from './step.tsx';
import type { ResolvedPeople } from './use-resolved.ts';

const KINDS: readonly { readonly value: AudienceKind; readonly label: string }[] = [
  { value: 'segment', label: 'A segment' },
  { value: 'condition', label: 'Conditions' },
  { value: 'everyone', label: 'Everyone' },
  { value: 'users', label: 'Listed people' },
];

type Props = {
  readonly draft: Draft;
  readonly reach: AudienceReach;
  readonly people: ResolvedPeople;
  readonly onChange: (changes: Partial<AudienceChoice>) => void;
};

/** Who gets the message, and how many of them the channel reaches. */
export function AudienceStep({ draft, reach, people, onChange }: Props) {
  return (
    <Step number={1} title="Audience" isDone={listMissingAudience(draft).length === 0}>
      <div className="row">
        <Views
          label="Send to"
          views={KINDS}
          value={draft.to}
          onChange={(to) => onChange({ to: to as AudienceKind })}
        />
      </div>
      {draft.to === 'users' && (
        <ListedPeople recipients={draft.recipients} people={people} onChange={onChange} />
      )}
      {draft.to === 'condition' && (
        <OwnConditions draft={draft} onChange={onChange} reach={reach} />
      )}
      {draft.to === 'segment' && <SegmentFields choice={draft} onChange={onChange} />}
      {draft.to !== 'users' && (
        <>
          <LeftOut choice={draft} onChange={onChange} />
          <Reach reach={reach} />
        </>
      )}
    </Step>
  );
}

function OwnConditions({
  draft,
  onChange,
  reach: { faults, parts },
}: Pick<Props, 'draft' | 'onChange' | 'reach'>) {
  const facts = useSegmentFacts();
  return (
    <FieldErrors value={faults}>
      <BuilderFactsContext value={facts}>
        <PartCountsContext value={parts}>
          <ConditionBuilder
            condition={draft.condition}
            pointer="/segment/condition"
            onChange={(condition) => onChange({ condition })}
          />
        </PartCountsContext>
      </BuilderFactsContext>
    </FieldErrors>
  );
}
