import { DEFAULT_TIME_ZONE, TIME_ZONE_ATTRIBUTE } from '@tidings/contracts/policies';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { compare } from './compare.ts';
import { COUNTRIES_USED, ZONES } from './create-population.ts';
import { someInstants, someText } from './draw-parts.ts';
import type { Drawn, LeafModel } from './leaf-model.ts';
import type { Person, Population } from './population.ts';
import type { Random } from './random.ts';
import { PLANS } from './values.ts';

type FieldCondition = LeafOf<'field'>;

/** Profile fields in memory. */
export const field: LeafModel<FieldCondition> = {
  weight: 1,
  draw: drawField,
  evaluate(node, person, of) {
    const isMs = node.field === 'birthday' || node.field === 'registeredAt';
    return compare(valueOf(node, person, of), node, { of, isMs });
  },
};

function drawField(random: Random, of: Drawn): FieldCondition {
  const proved = random.chance(0.25) && { proved: true };
  switch (random.integer(0, 4)) {
    case 0:
      return { field: 'birthday', ...someInstants(random, of), ...proved };
    case 1:
      return { field: 'registeredAt', ...someInstants(random, of) };
    case 2:
      return {
        field: 'timeZone',
        ...(random.chance(0.5) ? { is: random.pick(ZONES) } : { startsWith: 'Europe' }),
      };
    case 3:
      return { field: 'firstName', ...someText(random, PLANS), ...proved };
    default:
      return { field: 'country', ...someText(random, COUNTRIES_USED), ...proved };
  }
}

function valueOf(node: FieldCondition, person: Person, of: Population): unknown {
  if (node.field === 'registeredAt') return person.registeredAt;
  if (node.field === 'timeZone') {
    const own = person.customAttributes[TIME_ZONE_ATTRIBUTE];
    if (typeof own === 'string') return own;
    const [device] = person.devices
      .filter(({ isProof, timeZone }) => isProof && timeZone !== null)
      .toSorted((a, b) => b.seenAt - a.seenAt);
    return device?.timeZone ?? of.timeZone ?? DEFAULT_TIME_ZONE;
  }
  const isHidden = node.proved === true && person.clocks.fields[node.field]?.[2] === 'client';
  return isHidden ? undefined : person.fields[node.field];
}
