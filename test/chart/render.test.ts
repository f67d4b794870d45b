import { describe, expect, test } from '@jest/globals';
import { lint, readCases, render } from '@tidings/tools/helm';
import { findFaults } from './support/schemas.ts';
import {
  disruptionFaults,
  graceFaults,
  imageFaults,
  nameFaults,
  probeFaults,
  resourceFaults,
  securityFaults,
  selectorFaults,
} from './support/policies.ts';

const cases = [...readCases()];

describe.each(cases)('the chart with the values of %s', (_name, file) => {
  const manifests = render(file);

  test('passes helm lint --strict', () => {
    expect(lint(file)).toBe('');
  });

  test('is valid by the schemas of Kubernetes, KEDA, the Gateway API and the Prometheus operator', () => {
    expect(manifests.length).toBeGreaterThanOrEqual(10);
    expect(manifests.flatMap(findFaults)).toEqual([]);
  });

  test.each([
    ['keeps to the restricted pod security standard, and writes to no image', securityFaults],
    ['probes all long-running containers, only on the port without a Service', probeFaults],
    ['asks for CPU and memory, and bounds memory', resourceFaults],
    ['gives every process the time that it drains for', graceFaults],
    ['names images by a version or a digest, of no withdrawn registry', imageFaults],
    ['has names that fit, no name, port or variable twice', nameFaults],
    ['has selectors that match exactly their pods', selectorFaults],
    ['blocks no node drain', disruptionFaults],
  ])('%s', (_claim, faults) => {
    expect(faults(manifests)).toEqual([]);
  });
});
