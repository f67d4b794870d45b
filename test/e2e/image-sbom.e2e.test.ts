/** @nightly */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SBOM_FILE, type Sbom } from '@tidings/image/sbom';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assembleReadOnly, type Assembled } from './support/assembled.ts';

let image: Assembled;
let sbom: Sbom;

beforeAll(() => {
  image = assembleReadOnly();
  sbom = JSON.parse(readFileSync(join(image.appDir, SBOM_FILE), 'utf8')) as Sbom;
}, 300_000);

afterAll(() => image?.remove());

test('it lists the installed packages, each of them and no other, by name and version', () => {
  const listed = sbom.components
    .map(({ purl }) => decodeURIComponent(purl.replace('pkg:npm/', '')))
    .filter(isForeign);

  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(new Set(listed)).toEqual(new Set(installed()));
  expect(listed.length).toBeGreaterThan(200);
});

test('each installed package has the hash of the lock file, and a licence where it declares one', () => {
  const foreign = sbom.components.filter(({ purl }) =>
    isForeign(decodeURIComponent(purl.replace('pkg:npm/', ''))),
  );
  const withoutHash = foreign.filter(
    ({ externalReferences = [] }) =>
      !externalReferences.some(({ hashes = [] }) => hashes.some(({ alg }) => alg === 'SHA-512')),
  );
  const withoutLicence = foreign.filter(({ licenses = [] }) => licenses.length === 0);

  expect(withoutHash.map(({ purl }) => purl)).toEqual([]);
  // It declares `licenses`, the pre-2015 form, which pnpm does not read.
  expect(withoutLicence.map(({ purl }) => purl)).toEqual(['pkg:npm/limiter@1.1.5']);
});

test('its graph names only what it lists', () => {
  const refs = sbom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
  const known = new Set([
    ...sbom.components.map((component) => component['bom-ref']),
    sbom.metadata.component['bom-ref'],
  ]);

  expect(refs.filter((ref) => !known.has(ref))).toEqual([]);
});

const isForeign = (name: string): boolean => !name.startsWith('@tidings/');

/** pnpm's package folders, `@scope+name@version_peers`. */
function installed(): readonly string[] {
  const folders = readdirSync(join(image.appDir, 'node_modules', '.pnpm')).filter((name) =>
    name.includes('@'),
  );
  return folders.map((name) =>
    name.replace(/(?<=@[^@]*)[_(].*$/, '').replace(/^(@[^+]+)\+/, '$1/'),
  );
}
