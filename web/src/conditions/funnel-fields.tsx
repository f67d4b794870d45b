import type { FunnelState } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { Select } from '../ui/select.tsx';
import { useBuilderFacts } from './builder-context.ts';
import { withoutAbsent, type LeafProps } from './leaf-props.ts';
import { WindowFields } from './window-fields.tsx';

type FunnelCondition = LeafOf<'funnel'>;

/** Undefined removes a part. */
type Changes = { readonly [Key in keyof FunnelCondition]?: FunnelCondition[Key] | undefined };

/** After "have". */
const STATES: readonly { readonly value: FunnelState; readonly label: string }[] = [
  { value: 'dropped', label: 'dropped out of' },
  { value: 'open', label: 'not yet finished' },
  { value: 'reached', label: 'come in' },
  { value: 'converted', label: 'converted in' },
];
const BEFORE_STEP = { dropped: 'at step', open: 'after step', reached: 'to step' } as const;

/** Whether the builder has fields for all of it. A funnel of its own stands in no list. */
export const isSimpleFunnel = ({ funnel }: FunnelCondition): boolean => typeof funnel === 'string';

/** A funnel: which, how people stand in it, at which step, and when they entered. */
export function FunnelFields({ node, pointer, onChange }: LeafProps<FunnelCondition>) {
  const { funnels } = useBuilderFacts();
  const { funnel, state, step = 1 } = node;
  const set = (changes: Changes): void => {
    const next: FunnelCondition = withoutAbsent({ ...node, ...changes });
    const last = lastStep(next);
    onChange(
      withoutAbsent({
        ...next,
        step: next.state === 'converted' ? undefined : Math.min(next.step ?? 1, last),
      }),
    );
  };
  const lastStep = (of: FunnelCondition): number => {
    const steps = stepsOf(of.funnel)?.length ?? LIMITS.funnelStepsMax;
    return of.state === 'reached' ? steps : steps - 1;
  };
  const stepsOf = (named: FunnelCondition['funnel']): readonly string[] | undefined =>
    funnels.find(({ value }) => value === named)?.steps;
  const names = stepsOf(funnel);
  return (
    <>
      <Select
        label="State"
        pointer={`${pointer}/state`}
        value={state}
        options={STATES}
        onChange={(next) => set({ state: next as FunnelState })}
      />
      <Select
        label="Funnel"
        pointer={`${pointer}/funnel`}
        value={typeof funnel === 'string' ? funnel : ''}
        options={[{ value: '', label: 'Choose a funnel' }, ...funnels]}
        onChange={(next) => set({ funnel: next })}
      />
      {state !== 'converted' && (
        <>
          <span className="word">{BEFORE_STEP[state]}</span>
          <Select
            label="Step"
            pointer={`${pointer}/step`}
            value={String(step)}
            options={Array.from({ length: Math.max(lastStep(node), step) }, (_, index) => ({
              value: String(index + 1),
              label: [String(index + 1), ...(names?.slice(index, index + 1) ?? [])].join(' · '),
            }))}
            onChange={(next) => set({ step: Number(next) })}
          />
        </>
      )}
      <span className="word">entered</span>
      <WindowFields pointer={pointer} window={node} standard="30d" needsOne onChange={set} />
    </>
  );
}
