import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState } from 'react';
import { readFieldErrors } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Segment } from '../../api/types.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { Card } from '../../ui/card.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { FieldErrors, TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BuilderFactsContext, PartCountsContext } from '../../conditions/builder-context.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { START } from '../../conditions/new-condition.ts';
import { Explain } from './explain.tsx';
import { Preview, usePreview } from './preview.tsx';
import { useSegmentFacts } from './use-segment-facts.ts';
import { useSegments } from './use-segments.ts';

type EditorProps = {
  /** Absent: a new one. */
  readonly segment?: Segment;
  /** The condition that a new one begins with. */
  readonly start?: Condition | undefined;
  readonly onSaved: (segment: Segment) => void;
};

/** The fields of a segment, with its members and an explanation beside them. */
export function SegmentEditor({ segment, start = START, onSaved }: EditorProps) {
  const may = useMay('changeSegments');
  const facts = useSegmentFacts(segment?.slug);
  const [name, setName] = useState(segment?.name ?? '');
  const [condition, setCondition] = useState<Condition>(segment?.condition ?? start);
  // What this page has seen: the change of a colleague must not be overwritten.
  const [version, setVersion] = useState(segment?.version ?? 0);
  const others = useSegments(segment === undefined)?.items.map((each) => each.slug) ?? [];
  const created = useNewSlug(name, 'segment', others);
  const slug = segment?.slug ?? created.slug;
  const preview = usePreview(condition);
  const save = useChange<void, Segment>(
    () => ({
      path: `segments/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: { name, condition, expectedVersion: version },
    }),
    ['segments'],
  );
  /** An error of what was saved is out of date after a change. */
  const changing =
    <T,>(set: (next: T) => void) =>
    (next: T): void => {
      set(next);
      save.reset();
    };
  return (
    <div className="columns">
      <Card>
        <EditForm
          action={segment === undefined ? 'Create segment' : 'Save'}
          isAllowed={may}
          change={save}
          missing={name.trim() === '' ? ['a name'] : []}
          onSubmit={() =>
            save.mutate(undefined, {
              onSuccess: (saved) => {
                showToast('Segment saved');
                setVersion(saved.version);
                onSaved(saved);
              },
            })
          }
        >
          <div className="grid narrow">
            <TextField label="Name" pointer="/name" value={name} onChange={changing(setName)} />
            {segment === undefined && (
              <ApiName
                noun="segment"
                slug={slug}
                onChange={changing(created.setOwn)}
                error={others.includes(slug) ? 'Another segment has this name.' : undefined}
              />
            )}
          </div>
          <FieldErrors value={[...readFieldErrors(save.error), ...readFieldErrors(preview.error)]}>
            <BuilderFactsContext value={facts}>
              <PartCountsContext value={preview.parts}>
                <ConditionBuilder
                  condition={condition}
                  pointer="/condition"
                  onChange={changing(setCondition)}
                />
              </PartCountsContext>
            </BuilderFactsContext>
          </FieldErrors>
        </EditForm>
      </Card>
      <div className="stack">
        <Preview condition={condition} names={facts.names} read={preview} />
        <Explain condition={condition} facts={facts} />
      </div>
    </div>
  );
}
