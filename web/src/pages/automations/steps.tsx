import {
  keyOfNode,
  type NodeKey,
  findPlace,
  insertNode,
  moveNode,
  newId,
  newNode,
  removeNode,
  replaceNode,
  sendsBefore,
  type Nodes,
  type Place,
} from '../../automations/tree.ts';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Automation, AutomationReport } from '../../api/types.ts';
import { FRAME } from '../../automations/faults.ts';
import { FrameCard } from '../../automations/frame-card.tsx';
import { FrameFields } from '../../automations/frame-fields.tsx';
import { StepFields } from '../../automations/step-fields.tsx';
import { reportNumbers } from '../../automations/step-numbers.ts';
import { StepReportFacts } from '../../automations/step-report.tsx';
import { StepTree } from '../../automations/step-tree.tsx';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import type { AutomationDraft } from '../../automations/use-automation-draft.ts';
import { KINDS, placeText, stepTitle } from '../../automations/words.ts';
import { BuilderFactsContext } from '../../conditions/builder-context.ts';
import { isApple } from '../../lib/is-apple.ts';
import { Button } from '../../ui/button.tsx';
import { FieldErrors } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { SidePanel } from '../../ui/side-panel.tsx';

const LIVE_MS = 10_000;

type StepsProps = {
  readonly path: string;
  readonly automation: Automation;
  readonly draft: AutomationDraft;
};

/** The steps with their numbers, and the fields of the one that is open. */
export function Steps({ path, automation: { live, status }, draft }: StepsProps) {
  const { definition, faults, edition, change } = draft;
  const mayEdit = useMay('changeAutomations');
  const { names, facts } = useAutomationNames();
  const { data: report } = useRead<AutomationReport>(`${path}/report`, {
    everyMs: LIVE_MS,
    until: () => status !== 'active',
  });
  const [active, setActive] = useState(FRAME);
  /** What a key did, for those who do not see it. */
  const [said, setSaid] = useState('');
  const filters = useFilters(['step']);
  const opened = filters.get('step');
  const open = (key: string): void => {
    if (key !== '') setActive(key);
    filters.set('step', key);
  };
  const { nodes } = definition;
  const set = (next: Nodes): void => change({ ...definition, nodes: next });
  const add = (kind: NodeKey, at: Pick<Place, 'list' | 'index'>): void => {
    const id = newId(kind, nodes, live?.nodes ?? []);
    set(insertNode(nodes, at, newNode(kind, id, sendsBefore(nodes, at).at(-1))));
    open(id);
  };
  const titleOf = (id: string): string => {
    const found = findPlace(nodes, id);
    return found === undefined ? '' : stepTitle(found.node, names);
  };
  const remove = (id: string): void => {
    set(removeNode(nodes, id));
    setSaid(`Removed: ${titleOf(id)}`);
    if (opened === id) filters.set('step', '');
  };
  const move = (id: string, by: 1 | -1): void => {
    const next = moveNode(nodes, id, by);
    const found = findPlace(next, id);
    if (next === nodes || found === undefined) return setSaid('It can go no further.');
    set(next);
    setSaid(`Moved: ${titleOf(id)}. ${placeText(next, found)}`);
  };
  const numbers = reportNumbers(definition, report?.nodes ?? []);
  const place = findPlace(nodes, opened);
  return (
    <BuilderFactsContext value={facts}>
      <div className="canvas">
        <StepTree
          {...{ definition, names, numbers, active, opened, mayEdit }}
          faulty={new Set(faults.map(({ at }) => at))}
          head={
            <FrameCard
              definition={definition}
              names={names}
              report={report}
              isOpen={opened === FRAME}
              isFaulty={faults.some(({ at }) => at === FRAME)}
            />
          }
          onActive={setActive}
          onOpen={open}
          onAdd={add}
          onRemove={remove}
          onMove={move}
        />
        <p role="status" className="hidden-visually">
          {said}
        </p>
        {mayEdit && (
          <p className="soft small keys-hint">
            ↑ ↓ move · ↵ opens · A adds · ⌫ removes · Alt ↑ ↓ moves the step, also into branches ·{' '}
            {isApple ? '⌘Z' : 'Ctrl Z'} undoes
          </p>
        )}
      </div>
      {(place !== undefined || opened === FRAME) && (
        <SidePanel
          key={`${opened} ${edition}`}
          title={
            place === undefined ? 'What starts and ends it' : KINDS[keyOfNode(place.node)].label
          }
          onClose={() => open('')}
          {...(place !== undefined && { foot: <StepFoot {...{ place, mayEdit, remove }} /> })}
        >
          <FieldErrors value={faults.map(({ error }) => error)}>
            <fieldset disabled={!mayEdit} className="inside stack">
              {faults
                .filter(({ at, isPlain }) => at === opened && isPlain)
                .map(({ text, error }) => (
                  <p key={error.pointer + text} className="part-error" dir="auto">
                    {text}
                  </p>
                ))}
              {place === undefined ? (
                <FrameFields definition={definition} onChange={change} />
              ) : (
                <>
                  <StepReportFacts
                    node={place.node}
                    report={report?.nodes.find(({ id }) => id === place.node.id)}
                  />
                  <StepFields
                    place={place}
                    definition={definition}
                    names={names}
                    words={draft.words}
                    onChange={(node) => set(replaceNode(nodes, node))}
                  />
                </>
              )}
            </fieldset>
          </FieldErrors>
        </SidePanel>
      )}
    </BuilderFactsContext>
  );
}

function StepFoot({
  place: { node },
  mayEdit,
  remove,
}: {
  readonly place: Place;
  readonly mayEdit: boolean;
  readonly remove: (id: string) => void;
}) {
  return (
    <div className="row">
      <span className="grow">
        API name: <code dir="ltr">{node.id}</code>
      </span>
      {mayEdit && (
        <Button isSmall kind="plain" onClick={() => remove(node.id)}>
          Remove step
        </Button>
      )}
    </div>
  );
}
