import { Counter, Gauge } from '@tidings/platform';

export const changesOldest = new Gauge({
  name: 'tidings_changes_oldest_seconds',
  help: 'Age of the oldest change of a person that no automation has looked at.',
});
export const timersOldest = new Gauge({
  name: 'tidings_timers_oldest_due_seconds',
  help: 'How late the next step of an automation is that has waited longest.',
});
export const lastLook = new Gauge({
  name: 'tidings_automation_last_look_timestamp_seconds',
  help: 'When this process last looked for work of automations, and handled it.',
});
export const stepsTotal = new Counter({
  name: 'tidings_automation_steps_total',
  help: 'Changes that automations looked at, and runs that they took on.',
  labelNames: ['kind'] as const,
});
for (const kind of ['changes', 'segments', 'timers'] as const) stepsTotal.inc({ kind }, 0);
export const segmentRechecksTotal = new Counter({
  name: 'tidings_segment_rechecks_total',
  help: 'People whom time alone may have made members of a live segment, or none, and whether it did.',
  labelNames: ['changed'] as const,
});
for (const changed of ['true', 'false'] as const) segmentRechecksTotal.inc({ changed }, 0);
export const segmentFailuresTotal = new Counter({
  name: 'tidings_segment_failures_total',
  help: 'How often a live segment could not be asked because of a fault. Its people are asked later.',
});
export const runFailuresTotal = new Counter({
  name: 'tidings_automation_run_failures_total',
  help: 'Steps of runs that failed. A run is tried again three times.',
});
export const entryFailuresTotal = new Counter({
  name: 'tidings_automation_entry_failures_total',
  help: 'Events that could not enter their person because of a fault.',
});
export const putOffTotal = new Counter({
  name: 'tidings_automations_put_off_total',
  help: 'How often runs of an automation had to wait because its conditions took too long.',
});
export const unreadableTotal = new Counter({
  name: 'tidings_changes_unreadable_total',
  help: 'Changes of people that could not be read.',
});
