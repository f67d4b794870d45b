// The software bill of materials (CycloneDX JSON) of an assembled folder. pnpm writes it from the
// lock file and the installed packages. It lists packages of all workspace folders, so those that
// the image does not contain are removed here.

import { globSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const SBOM_FILE = 'sbom.cdx.json';
const PNPM_ARGS = [
  'sbom',
  '--prod',
  '--sbom-format',
  'cyclonedx',
  '--sbom-spec-version',
  '1.6',
  '--sbom-type',
  'application',
];
const INSTALLED = [
  'node_modules/.pnpm/*/node_modules/*/package.json',
  'node_modules/.pnpm/*/node_modules/@*/*/package.json',
];
const OWN = ['{packages,services}/*/package.json', 'deploy/*/package.json'];

/** @throws if the folder has an installed package that pnpm did not list */
export function writeSbom(root, askPnpm) {
  const installed = listPurls(root, INSTALLED);
  // The root component stands for the services; pnpm lists our packages as libraries.
  const held = new Set([...installed, ...listPurls(root, OWN)]);
  const sbom = JSON.parse(askPnpm(PNPM_ARGS));
  const listed = new Set(sbom.components.map(({ purl }) => purl));
  const unlisted = [...installed].filter((purl) => !listed.has(purl));
  if (unlisted.length > 0) throw new Error(`pnpm sbom does not list ${unlisted.join(', ')}.`);

  const components = sbom.components.filter(({ purl }) => held.has(purl));
  const kept = new Set(
    [sbom.metadata.component, ...components].map((component) => component['bom-ref']),
  );
  const dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map((entry) =>
      entry.dependsOn
        ? { ...entry, dependsOn: entry.dependsOn.filter((ref) => kept.has(ref)) }
        : entry,
    );
  writeFileSync(
    join(root, SBOM_FILE),
    `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`,
  );
}

/** Package URLs of the manifests that match the patterns. */
function listPurls(root, patterns) {
  const manifests = globSync(patterns, { cwd: root }).map((path) => join(root, path));
  // Links lead to packages that are also found at their real path.
  const real = manifests.filter((path) => !lstatSync(dirname(path)).isSymbolicLink());
  return new Set(real.map((path) => JSON.parse(readFileSync(path, 'utf8'))).map(buildPurl));
}

function buildPurl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
