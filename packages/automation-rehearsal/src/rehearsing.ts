import type { Program } from '@tidings/automations/program';
import type { EventTrigger } from '@tidings/contracts/automations/definition';
import type { ConditionContext } from '@tidings/segments/condition-context';
import type { PersonEvent } from '@tidings/segments/stored-people';
import type { NamedOf } from './named-events.ts';
import type { Asker } from './questions.ts';
import type { Tally } from './tally.ts';

/** What is rehearsed. Times are in milliseconds. */
export type Rehearsing = {
  readonly applicationId: string;
  readonly program: Program;
  /** Null: instants of a clock, a date or a segment enter people. */
  readonly trigger: EventTrigger | null;
  /** Of the events that may enter someone. */
  readonly triggerSlugs: ReadonlySet<string>;
  readonly named: NamedOf;
  readonly context: ConditionContext;
  readonly from: number;
  readonly to: number;
};

/** An instant of a clock, a date or a segment, in milliseconds. */
export type Arrival = {
  /** Exits and waits ask for what is later than it. */
  readonly at: number;
  /** When it enters the person: a date may be known late. */
  readonly seenAt: number;
};

/** When someone became a member of a segment, or none any more. */
export type Move = { readonly at: number; readonly isMember: boolean };

/** A person and a segment, in the period. */
export type PersonMoves = {
  /** When the period began. Who registers later is no member until then. */
  readonly wasMember: boolean;
  /** In their order. */
  readonly moves: readonly Move[];
};

/** A registered person, and the events that are named, in the order in which they were received. */
export type RehearsedPerson = {
  readonly userId: string;
  readonly customUserId: string;
  readonly registeredAt: number;
  readonly events: readonly PersonEvent[];
  /** What enters them besides events, in the order of `seenAt`. */
  readonly arrivals?: readonly Arrival[];
  /** In the segments that exits and waits name. */
  readonly moves?: ReadonlyMap<string, PersonMoves>;
};

/** Where what happens is asked and counted. */
export type Stage = {
  readonly asker: Asker;
  readonly tally: Tally;
  /** Lets others have their turn. Returns whether there is time left. */
  readonly goesOn: () => Promise<boolean>;
};
