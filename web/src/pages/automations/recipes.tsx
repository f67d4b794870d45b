import { useNavigate } from '@tanstack/react-router';

import { keyOfNode } from '../../automations/tree.ts';
import { Fragment, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Automation } from '../../api/types.ts';
import { durationText } from '../../conditions/duration.ts';
import { KINDS } from '../../automations/words.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Select } from '../../ui/select.tsx';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { BLANK, buildDefinition, RECIPES, type Recipe } from './recipe-list.ts';
import { useAutomations } from './use-automations.ts';

/** Automations to begin with. Each asks for two events. */
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
                <span className="soft small">Asks 2 questions, opens as a draft</span>
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
function RecipeSteps({ recipe: { build } }: { readonly recipe: Recipe }) {
  const steps: readonly { readonly icon: IconName; readonly label: string }[] = [
    { icon: 'bolt', label: 'Start' },
    ...build()
      .nodes.slice(0, SHOWN)
      .map((node) => {
        const kind = keyOfNode(node);
        const label = 'delay' in node ? durationText(node.delay) : SHORT[kind];
        return { icon: KINDS[kind].icon, label: label ?? '' };
      }),
    { icon: 'start', label: 'Goal' },
  ];
  return (
    <span className="recipe-steps" aria-hidden="true">
      {steps.map(({ icon, label }, index) => (
        // A line that does not change.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {index > 0 && <span className="recipe-line" />}
          <span className="recipe-step">
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
  until: '10:00',
};

function RecipeDialog({
  recipe,
  onClose,
}: {
  readonly recipe: Recipe;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const { events } = useSegmentFacts();
  const others = (useAutomations().data ?? []).map(({ slug }) => slug);
  const [name, setName] = useState(recipe.name);
  const [asked, setAsked] = useState({ starts: '', goal: '' });
  const { slug, setOwn } = useNewSlug(name, 'automation', others);
  const create = useChange<void, Automation>(
    () => ({
      path: `automations/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: { ...buildDefinition(recipe, { ...asked, name: name.trim() }), expectedVersion: 0 },
    }),
    ['automations'],
  );
  const isGoalNeeded = recipe !== BLANK;
  const options = [{ value: '', label: 'Choose an event' }, ...events];
  return (
    <FormDialog
      title={recipe.name}
      action="Open the draft"
      change={create}
      isIncomplete={
        name.trim() === '' || asked.starts === '' || (isGoalNeeded && asked.goal === '')
      }
      onClose={onClose}
      onSubmit={() =>
        create.mutate(undefined, {
          onSuccess: () => void navigate({ to: '/automations/$slug', params: { slug } }),
        })
      }
    >
      {events.length === 0 && (
        <p className="soft">No events have arrived yet. Send one first, then it can be chosen.</p>
      )}
      <Select
        label={recipe.questions.starts}
        pointer="/trigger/event"
        value={asked.starts}
        options={options}
        onChange={(starts) => setAsked({ ...asked, starts })}
      />
      <Select
        label={recipe.questions.goal}
        pointer="/exit/0/event"
        value={asked.goal}
        options={options}
        onChange={(goal) => setAsked({ ...asked, goal })}
      />
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
