import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { generate } from 'selfsigned';

export type Certificate = { readonly key: string; readonly cert: string };

const RENEW_BEFORE_MS = 7 * 86_400_000;
const VALID_MS = 365 * 86_400_000;

/**
 * The machine's self-signed certificate; created once and kept, so that a browser's exception stays
 * valid.
 */
export async function ensureCertificate(file: string): Promise<Certificate> {
  const kept = readCertificate(file);
  if (
    kept !== undefined &&
    Date.parse(new X509Certificate(kept.cert).validTo) - RENEW_BEFORE_MS > Date.now()
  )
    return kept;

  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + VALID_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  const certificate = { key: made.private, cert: made.cert };
  writeFileSync(file, JSON.stringify(certificate), { mode: 0o600 });
  return certificate;
}

function readCertificate(file: string): Certificate | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Certificate;
  } catch {
    return undefined; // First start.
  }
}
