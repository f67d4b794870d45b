import { ADDRESS_OF } from '@tidings/contracts/channels/addresses';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import type {
  FactCondition,
  FactKind,
  LeafOf,
} from '@tidings/contracts/segments/leaves/descriptors';
import { mailboxKey } from '@tidings/platform';
import { at, compare } from './compare.ts';
import { ATTRIBUTES } from './create-population.ts';
import { someComparison, somePath } from './draw-parts.ts';
import { event } from './events.ts';
import { field } from './fields.ts';
import { funnel } from './funnels.ts';
import type { LeafModel } from './leaf-model.ts';
import { message } from './messages.ts';
import type { Person, Population } from './population.ts';

/** The kinds of conditions in memory: the generated conditions have each of them. */
const MODELS = {
  field,
  attribute: {
    weight: 3,
    draw: (random, of) => ({
      attribute: somePath(random, ATTRIBUTES),
      ...someComparison(random, of),
      ...(random.chance(0.25) && { proved: true }),
    }),
    evaluate(node, person, of) {
      const [key = ''] = [node.attribute].flat();
      const isHidden = node.proved === true && person.clocks.custom[key]?.[2] === 'client';
      const value = isHidden ? undefined : at(person.customAttributes, node.attribute);
      return compare(value, node, { of, isMs: false });
    },
  },
  reachable: {
    weight: 1,
    draw: (random) => ({
      reachable: random.pick(CHANNELS),
      ...(random.chance(0.5) && {
        purpose: random.pick(['transactional', 'marketing'] as const),
      }),
    }),
    evaluate: isReachable,
  },
  message,
  event,
  funnel,
} as const satisfies { readonly [Kind in FactKind]: LeafModel<LeafOf<Kind>> };

export const modelOf = (kind: FactKind): LeafModel<FactCondition> => MODELS[kind];
export const FACT_KINDS = Object.keys(MODELS) as readonly FactKind[];

function isReachable(
  { reachable: channel, purpose = 'transactional' }: LeafOf<'reachable'>,
  person: Person,
  of: Population,
): boolean {
  const status = of.channels[channel];
  if (status === undefined || (status === 'untested' && !of.sendUntested)) return false;
  const address = ADDRESS_OF[channel]({
    ...person.fields,
    phoneE164: person.phoneE164,
    deviceKinds: person.devices
      .filter(({ isProof, hasAddress }) => isProof && hasAddress)
      .map(({ kind }) => kind),
  });
  if ('reason' in address) return false;
  const key =
    channel === 'EMAIL' ? mailboxKey(address.address) : channel === 'SMS' ? address.address : null;
  return !of.suppressions.some(
    (each) =>
      each.channel === channel &&
      (channel === 'EMAIL' ? mailboxKey(each.address) : each.address) === key &&
      (purpose === 'marketing' || each.reason !== 'unsubscribed'),
  );
}
