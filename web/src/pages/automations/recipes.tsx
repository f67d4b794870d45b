import { useNavigate } from '@tanstack/react-router';

import type { Condition } from '@tidings/contracts/segments/conditions';
import { keyOfNode } from '../../automations/tree.ts';
import { Fragment, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Automation, Segment } from '../../api/types.ts';
import { attributeOptions, useSuggestions } from '../../conditions/use-suggestions.ts';
import { durationText } from '../../conditions/duration.ts';
import { KINDS } from '../../automations/words.ts';
import { counted } from '../../lib/format.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Select } from '../../ui/select.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { freeSlug } from '../../ui/to-slug.ts';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { BLANK, buildDefinition, RECIPES, type Asked, type Recipe } from './recipe-list.ts';
import { useAutomations } from './use-automations.ts';

const NOTHING_ASKED: Asked = { starts: '', goal: '', date: '' };

const footText = ({ questions }: Recipe): string =>
  questions.length === 0
    ? 'Opens as a draft'
    : `Asks ${counted(questions.length, 'question', 'questions')}, opens as a draft`;

/** Automations to begin with. */
export function Recipes() {
  const [chosen, setChosen] = useState<Recipe | null>(null);
  if (!useMay('changeAutomations'))
    return (
      <p className="soft">Your role can’t create automations. Ask an owner, admin or marketer.</p>
    );
  return (
    <div className="recipes">
      <ul>
        {RECIPES.map((recipe) => (
          <li key={recipe.name}>
            <button type="button" className="recipe" onClick={() => setChosen(recipe)}>
              <span className="strong">{recipe.name}</span>
              <span className="soft">{recipe.about}</span>
              <RecipeSteps recipe={recipe} />
              <span className="recipe-foot">
                <span className="soft small">{footText(recipe)}</span>
                <span className="accent">Use</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className="soft">
        Or{' '}
        <Button kind="plain" isSmall onClick={() => setChosen(BLANK)}>
          start with an empty one
        </Button>
      </p>
      {chosen !== null && <RecipeDialog recipe={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

const SHOWN = 4;

/** Its steps in a line. */
function RecipeSteps({ recipe: { build, icon, questions } }: { readonly recipe: Recipe }) {
  const { nodes, exit } = build(NOTHING_ASKED, '');
  const steps: readonly { readonly icon: IconName; readonly label: string }[] = [
    { icon, label: 'Start' },
    ...nodes.slice(0, SHOWN).map((node) => {
      const kind = keyOfNode(node);
      const label =
        'delay' in node
          ? durationText(node.delay)
          : 'until' in node
            ? node.until.time
            : SHORT[kind];
      return { icon: KINDS[kind].icon, label: label ?? '' };
    }),
    ...(exit !== undefined || questions.some(({ of }) => of === 'goal')
      ? [{ icon: 'start' as const, label: 'Goal' }]
      : []),
  ];
  return (
    <span className="recipe-steps" aria-hidden="true">
      {steps.map(({ icon, label }, index) => (
        // A line that does not change.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {index > 0 && <span className="recipe-line" />}
          <span className="recipe-step" data-goal={icon === 'start' || undefined}>
            <Icon name={icon} />
            <span className="small soft">{label}</span>
          </span>
        </Fragment>
      ))}
    </span>
  );
}

const SHORT: Readonly<Partial<Record<string, string>>> = {
  send: 'E-mail',
  waitFor: 'Clicked?',
};

const POINTERS: Readonly<Record<keyof Asked, string>> = {
  starts: '/trigger/event',
  goal: '/exit/0/event',
  date: '/trigger/date/attribute',
};

function RecipeDialog({
  recipe,
  onClose,
}: {
  readonly recipe: Recipe;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const { events, names } = useSegmentFacts();
  const suggestions = useSuggestions();
  const others = (useAutomations().data ?? []).map(({ slug }) => slug);
  const [name, setName] = useState(recipe.name);
  const [asked, setAsked] = useState(NOTHING_ASKED);
  const { slug, setOwn } = useNewSlug(name, 'automation', others);
  const { people } = recipe;
  // It stays where the automation could not be made at first.
  const [made, setMade] = useState<Segment | null>(null);
  const segment = made?.slug ?? freeSlug(`${slug}-people`, new Set(names.segments.keys()));
  const createSegment = useChange<Condition, Segment>(
    (condition) => ({
      path: `segments/${encodeURIComponent(segment)}`,
      method: 'PUT',
      body: { name: `${name.trim()}: people`, condition, expectedVersion: made?.version ?? 0 },
    }),
    ['segments'],
  );
  const create = useChange<void, Automation>(
    () => ({
      path: `automations/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: {
        ...buildDefinition(recipe, { ...asked, name: name.trim(), segment }),
        expectedVersion: 0,
      },
    }),
    ['automations'],
  );
  const open = (): void =>
    create.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/automations/$slug', params: { slug } }),
    });
  const options = [{ value: '', label: 'Choose an event' }, ...events];
  return (
    <FormDialog
      title={recipe.name}
      action="Open the draft"
      change={createSegment.isPending || createSegment.error !== null ? createSegment : create}
      isIncomplete={
        name.trim() === '' ||
        recipe.questions.some(({ of, isOptional }) => isOptional !== true && asked[of] === '')
      }
      onClose={onClose}
      onSubmit={() =>
        people === undefined
          ? open()
          : createSegment.mutate(people(asked), {
              onSuccess: (answer) => {
                setMade(answer);
                open();
              },
            })
      }
    >
      {events.length === 0 && recipe.questions.some(({ of }) => of !== 'date') && (
        <p className="soft">No events have arrived yet. Send one first, then it can be chosen.</p>
      )}
      {recipe.questions.map(({ of, label }) => {
        const field = { label, pointer: POINTERS[of], value: asked[of] };
        const onChange = (value: string): void => setAsked({ ...asked, [of]: value });
        return of === 'date' ? (
          <SuggestField
            key={of}
            {...field}
            placeholder="expiresOn"
            options={attributeOptions(
              suggestions && {
                ...suggestions,
                attributes: suggestions.attributes.filter(
                  ({ attribute }) => typeof attribute === 'string',
                ),
              },
            )}
            onChange={onChange}
            onChoose={({ label: name }) => onChange(name)}
          />
        ) : (
          <Select key={of} {...field} {...{ options, onChange }} />
        );
      })}
      <TextField label="Name" pointer="/name" value={name} onChange={setName} />
      <ApiName
        noun="automation"
        slug={slug}
        onChange={setOwn}
        error={others.includes(slug) ? 'Another automation has this name.' : undefined}
      />
    </FormDialog>
  );
}
