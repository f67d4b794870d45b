import { eventually, testDatabaseUrl } from '@tidings/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** Runs `work` with an empty database, or a copy of another one, and drops it afterwards. */
export async function withEmptyDatabase(
  work: (url: string) => Promise<void>,
  template = 'template1',
): Promise<void> {
  const name = `migrations_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  await onDatabase(testDatabaseUrl(), (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  try {
    await work(url.href);
  } finally {
    // A connection closed a moment ago may still be open on the server.
    await eventually(() =>
      onDatabase(testDatabaseUrl(), (client) => client.query(`drop database ${name}`)),
    );
  }
}

/** Runs `work` with an empty database, or a copy of another one, and a directory of these files. */
export async function withMigrations(
  files: Readonly<Record<string, string>>,
  work: (url: string, directory: string) => Promise<void>,
  template?: string,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'migrations-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    await withEmptyDatabase((url) => work(url, directory), template);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
