// Prints as JSON what a change reaches, for `npm test -- --since REVISION`. It needs Node 24, which the
// runner of the tests installs.

import { findAffected, projectOf, readGraph } from './affected-tests.ts';
import { listChangedFiles } from './changed-files.ts';
import { checksFor } from './checks.ts';

const [revision = ''] = process.argv.slice(2);
const changed = listChangedFiles(revision);
const graph = readGraph(changed);
const affected = findAffected(changed, graph);
const tests = [...graph.files.keys()].flatMap((path) => {
  const project = projectOf(path, graph.projects)?.name;
  return project === undefined ? [] : [{ path, project, why: affected.tests.get(path) ?? null }];
});
process.stdout.write(
  JSON.stringify({
    changed,
    everythingBecauseOf: affected.everythingBecauseOf,
    checks: checksFor(changed, affected),
    tests,
  }),
);
