import { asTable } from '@tidings/tools/as-table';
import { hasFailed, type TaskResult } from './run-task.ts';

const HEAD = ['task', 'clicks', 'limit', 'effect', 'from', 's'];

/** A line per task, and below it what each one lacks that failed. */
export function describeResults(results: readonly TaskResult[]): string {
  const table = asTable([
    HEAD,
    ...results.map(({ task, from, clicks, unseen, seconds }) => [
      task.name,
      `${clicks.length}${clicks.length > task.clicksMax ? ' !' : ''}`,
      String(task.clicksMax),
      unseen === null ? 'seen' : 'not seen !',
      placeOf(from),
      seconds.toFixed(1),
    ]),
  ]);
  const failed = results.filter(hasFailed).map(describeFailure);
  const good = results.length - failed.length;
  return [table, ...failed, `${good} of ${results.length} within their clicks`].join('\n\n');
}

/** The overview, or the page without what it is asked for. */
const placeOf = (from: string): string =>
  from === '/' ? 'overview' : (/^\/([\w-]*)/.exec(from)?.[1] ?? '');

function describeFailure({ task, clicks, unseen }: TaskResult): string {
  const over = clicks.length - task.clicksMax;
  return [
    task.name,
    ...(unseen === null ? [] : [`  not seen: ${unseen}`]),
    ...(over > 0 ? [`  ${over} above the limit: ${clicks.join(' → ')}`] : []),
    ...(over > 0 && task.lacks !== undefined ? [`  what lacks: ${task.lacks}`] : []),
  ].join('\n');
}
