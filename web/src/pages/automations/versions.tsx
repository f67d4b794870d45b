import type {
  AutomationDefinition,
  AutomationNode,
} from '@tidings/contracts/automations/definition';
import { useMemo } from 'react';
import { useReadAll } from '../../api/queries.ts';
import type { AutomationVersion } from '../../api/types.ts';
import { placesOf, type Place } from '../../automations/tree.ts';
import { stepTitle, type AutomationNames } from '../../automations/words.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Difference = { readonly sign: '+' | '−' | '·'; readonly text: string };

/** What each version changed, the newest first. */
export function Versions({ path }: { readonly path: string }) {
  const { names } = useAutomationNames();
  const read = useReadAll<AutomationVersion>(`${path}/versions`, {});
  return (
    <Card isFlush>
      <Loaded read={read}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty title="It was never activated">Each activation makes a version.</Empty>
          ) : (
            <ol className="versions">
              {versions.map((version, index) => (
                <li key={version.version}>
                  <div className="row">
                    <h3>Version {formatCount(version.version)}</h3>
                    <span className="soft small">
                      <bdi>{actorName(version.createdBy)}</bdi>, <Time at={version.createdAt} />
                    </span>
                  </div>
                  <Differences
                    now={version.definition}
                    before={versions[index + 1]?.definition}
                    names={names}
                  />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function Differences({
  now,
  before,
  names,
}: {
  readonly now: AutomationDefinition;
  readonly before: AutomationDefinition | undefined;
  readonly names: AutomationNames;
}) {
  const differences = useMemo(() => compare(now, before, names), [now, before, names]);
  return (
    <ul className="differences">
      {differences.map(({ sign, text }) => (
        <li key={`${sign}${text}`} dir="auto">
          <span className="sign" aria-hidden="true">
            {sign}
          </span>
          <span className="hidden-visually">{SIGN_WORDS[sign]}</span> {text}
        </li>
      ))}
    </ul>
  );
}

const SIGN_WORDS = { '+': 'New:', '−': 'Gone:', '·': 'Changed:' } as const;
const PARTS = {
  name: 'The name',
  purpose: 'The purpose',
  trigger: 'What starts it',
  filter: 'Whom it is for',
  recheckFilter: 'Whom it is for',
  entry: 'Who may enter again',
  exit: 'What ends it',
  goalWindow: 'How long a goal counts',
  throttle: 'How fast it sends',
} as const satisfies Record<Exclude<keyof AutomationDefinition, 'version' | 'nodes'>, string>;

/** What differs, by the API names of steps. */
function compare(
  now: AutomationDefinition,
  before: AutomationDefinition | undefined,
  names: AutomationNames,
): readonly Difference[] {
  const [present, past] = [byId(now), byId(before)];
  const parts = before === undefined ? [] : (Object.keys(PARTS) as (keyof typeof PARTS)[]);
  const changed = parts.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(before?.[key]));
  const steps = [...present].flatMap(([id, { node, list }]): Difference[] => {
    const text = stepTitle(node, names);
    const other = past.get(id);
    if (other === undefined) return [{ sign: '+', text }];
    const was = stepTitle(other.node, names);
    if (was !== text) return [{ sign: '·', text: `${was} → ${text}` }];
    const isSame = own(node) === own(other.node) && list === other.list;
    return isSame ? [] : [{ sign: '·', text }];
  });
  return [
    ...[...new Set(changed.map((key) => PARTS[key]))].map((text) => ({ sign: '·' as const, text })),
    ...steps,
    ...[...past].flatMap(([id, { node }]): Difference[] =>
      present.has(id) ? [] : [{ sign: '−', text: stepTitle(node, names) }],
    ),
  ];
}

const byId = (definition: AutomationDefinition | undefined): ReadonlyMap<string, Place> =>
  new Map(placesOf(definition?.nodes ?? []).map((place) => [place.node.id, place]));

/** A step without the steps in its branches. */
const own = (node: AutomationNode): string =>
  JSON.stringify(node, (key, value: unknown) =>
    key === 'then' || key === 'else' || key === 'nodes' ? undefined : value,
  );
