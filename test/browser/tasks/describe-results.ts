import { asTable } from '@tidings/tools/as-table';
import { hasFailed, type TaskResult } from './run-task.ts';

const HEAD = ['task', 'clicks', 'limit', 'effect', 's'];

/** A line per task, and below it what each one lacks that failed. */
export function describeResults(results: readonly TaskResult[]): string {
  const table = asTable([
    HEAD,
    ...results.map(({ task, clicks, unseen, seconds }) => [
      task.name,
      `${clicks.length}${clicks.length > task.clicksMax ? ' !' : ''}`,
      String(task.clicksMax),
      unseen === null ? 'seen' : 'not seen !',
      seconds.toFixed(1),
    ]),
  ]);
  const failed = results.filter(hasFailed).map(describeFailure);
  const good = results.length - failed.length;
  return [table, ...failed, `${good} of ${results.length} within their clicks`].join('\n\n');
}

function describeFailure({ task, clicks, unseen }: TaskResult): string {
  const over = clicks.length - task.clicksMax;
  return [
    task.name,
    ...(unseen === null ? [] : [`  not seen: ${unseen}`]),
    ...(over > 0 ? [`  ${over} above the limit: ${clicks.join(' → ')}`] : []),
    ...(over > 0 && task.lacks !== undefined ? [`  what lacks: ${task.lacks}`] : []),
  ].join('\n');
}
