import type { RehearsalError, RehearsalStatus } from '../../automations/rehearsals.ts';
import type {
  AutomationStatus,
  EntryRefusal,
  RunStatus,
  SkipReason,
  TraceOutcome,
} from '../../automations/runs.ts';
import type { Explanation } from './explanation.ts';

export const AUTOMATION_STATUS_EXPLANATIONS = {
  draft: {
    summary: 'It was never activated.',
    remedy: 'Activate it, so that people enter.',
  },
  active: { summary: 'People enter, and go on in it.', remedy: 'Nothing to do.' },
  paused: {
    summary: 'Nothing happens: no one enters, and those who are in it wait.',
    remedy: 'Resume it.',
  },
  stopped: {
    summary: 'No one enters any more.',
    remedy: 'Activate it, if people shall enter again.',
  },
} as const satisfies Record<AutomationStatus, Explanation>;

export const RUN_STATUS_EXPLANATIONS = {
  active: { summary: 'The person is on the way.', remedy: 'Nothing to do.' },
  completed: { summary: 'The person has passed the last step.', remedy: 'Nothing to do.' },
  exited: {
    summary: 'An exit, a goal or a member of the team ended it.',
    remedy: 'Nothing to do. The last line of its trace says which.',
  },
  failed: {
    summary: 'A step failed four times.',
    remedy: 'Look at its error, mend the cause, then retry the run.',
  },
} as const satisfies Record<RunStatus, Explanation>;

export const ENTRY_REFUSAL_EXPLANATIONS = {
  where: {
    summary: 'The event does not have the attributes that the trigger asks for.',
    remedy: 'Compare the event with `where` of the trigger, and with the key.',
  },
  filter: {
    summary: 'The filter was not true of the person at that moment.',
    remedy: 'Ask the filter about the person to see which part is false.',
  },
  re_entry: {
    summary: 'The person is in the automation already, or was too recently.',
    remedy: 'Change how often a person may enter.',
  },
  max_age: {
    summary: 'The event was received long after its own time.',
    remedy: 'Send events at once, or raise `maxAge` of the trigger.',
  },
  not_proved: {
    summary: 'The event came by a public key, without a proof of who sent it.',
    remedy: 'Send it with a Server key or a user token.',
  },
  not_registered: {
    summary: 'The person is not registered.',
    remedy: 'Send a `user` message. The event enters them then, within its age.',
  },
  paused: {
    summary: 'The automation was paused.',
    remedy: 'Nothing to do: events of a pause enter no one afterwards.',
  },
  before_activation: {
    summary: 'The event was received before the automation was activated.',
    remedy: 'Nothing to do: only later events enter people.',
  },
  capacity: {
    summary: 'The person or the application has the most runs that there may be.',
    remedy: 'Wait until some have ended, or shorten the waits.',
  },
  settling_timeout: {
    summary: 'The profile that came with the event was not stored within ten seconds.',
    remedy: 'Look at the users consumer: it is behind.',
  },
} as const satisfies Record<EntryRefusal, Explanation>;

export const TRACE_OUTCOME_EXPLANATIONS = {
  entered: { summary: 'The person entered.', remedy: 'Nothing to do.' },
  waiting: { summary: 'The person waits at this step.', remedy: 'Nothing to do.' },
  passed: { summary: 'The person went on from this step.', remedy: 'Nothing to do.' },
  sent: {
    summary: 'A message was handed over to its channel.',
    remedy: 'Its delivery says what became of it.',
  },
  skipped: {
    summary: 'No message was sent.',
    remedy: 'The reason says why.',
  },
  completed: { summary: 'The person passed the last step.', remedy: 'Nothing to do.' },
  exited: {
    summary: 'The way of the person ended here.',
    remedy: 'The reason says why, if no exit of the automation did it.',
  },
  goal: { summary: 'The person did what the automation is for.', remedy: 'Nothing to do.' },
  failed: {
    summary: 'The step failed four times.',
    remedy: 'Look at the error of the run, then retry it.',
  },
} as const satisfies Record<TraceOutcome, Explanation>;

export const SKIP_REASON_EXPLANATIONS = {
  filter: {
    summary: 'The filter was no longer true of the person.',
    remedy: 'Nothing to do. `recheckFilter` decides whether it is asked again.',
  },
  unreachable: {
    summary: 'None of the channels reaches the person.',
    remedy: 'Look at the addresses of the person.',
  },
  missed: {
    summary: 'The message would have been more than an hour late after a pause.',
    remedy: 'Nothing to do: it was left out on request.',
  },
} as const satisfies Record<SkipReason, Explanation>;

export const REHEARSAL_STATUS_EXPLANATIONS = {
  running: { summary: 'It goes through stored events, or waits to begin.', remedy: 'Wait for it.' },
  completed: { summary: 'It has gone through the events.', remedy: 'Nothing to do.' },
  failed: { summary: 'It has no result.', remedy: 'Its error says why.' },
} as const satisfies Record<RehearsalStatus, Explanation>;

export const REHEARSAL_ERROR_EXPLANATIONS = {
  interrupted: {
    summary: 'The processes that ran it ended, three times.',
    remedy: 'Ask for it again. If it repeats, look at the log of the scheduler.',
  },
  timed_out: {
    summary: 'Postgres did not answer one of its questions in a minute.',
    remedy: 'Rehearse a shorter period, or conditions over shorter times.',
  },
  internal: {
    summary: 'Tidings made an error.',
    remedy: 'Look at the log of the scheduler, and report the line.',
  },
} as const satisfies Record<RehearsalError, Explanation>;
