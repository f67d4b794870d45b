import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureCertificate } from './certificate.ts';
import { startLateHttps } from './late-https.ts';
import type { ReverseProxy } from './reverse-proxy.ts';
import { freePorts } from './stack/ports.ts';

let folder: string;
let service: Server;
let entry: ReverseProxy;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-https-'));
  const [port = 0, httpsPort = 0] = await freePorts(2);
  service = createServer((req, res) =>
    res.end(`${String(req.headers['x-forwarded-proto'])} ${req.url}`),
  );
  await once(service.listen(port, '127.0.0.1'), 'listening');
  entry = await startLateHttps({
    port,
    httpsPort,
    certificate: await ensureCertificate(join(folder, 'certificate.json')),
    routes: [{ path: '/', service: 'any' }],
    portOf: () => port,
  });
});
afterEach(async () => {
  await entry.close();
  service.close();
  rmSync(folder, { recursive: true });
});

function fetchHttps(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${entry.httpsUrl}${path}`, { rejectUnauthorized: false, agent: false }, (answer) =>
      resolve(text(answer)),
    ).once('error', reject);
  });
}

test('http is answered by the process itself, and https through the proxy', async () => {
  const plain = await fetch(`${entry.baseUrl}/plain`);

  expect(await plain.text()).toBe('undefined /plain');
  expect(await Promise.all(['/a', '/b'].map(fetchHttps))).toEqual(['https /a', 'https /b']);
});

test('it closes though no https connection ever came', async () => {
  await entry.close();

  await expect(fetchHttps('/')).rejects.toThrow('ECONNREFUSED');
});
