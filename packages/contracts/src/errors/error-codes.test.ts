import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES, FIELD_CODES, WARNING_CODES } from './error-codes.ts';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { EXPLANATIONS } from './explanations/explanations.ts';
import type { Explanation } from './explanations/explanation.ts';

describe('error codes', () => {
  test('are the ones the interface promises, each with its status', () => {
    expect(
      Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status])),
    ).toEqual({
      invalid_json: 400,
      validation_failed: 400,
      unauthenticated: 401,
      https_required: 403,
      forbidden: 403,
      role_forbidden: 403,
      csrf_rejected: 403,
      ip_not_allowed: 403,
      client_key_forbidden: 403,
      not_found: 404,
      method_not_allowed: 405,
      request_timeout: 408,
      conflict: 409,
      idempotency_conflict: 409,
      payload_too_large: 413,
      unsupported_media_type: 415,
      rate_limited: 429,
      headers_too_large: 431,
      internal: 500,
      unavailable: 503,
    });
  });

  test('have distinct titles that fit into a status line', () => {
    const titles = Object.values(ERROR_CODES).map(({ title }) => title);

    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => !/^[\x20-\x7e]+$/.test(title))).toEqual([]);
  });

  test('of fields and warnings are closed lists without repetition', () => {
    expect([...FIELD_CODES].toSorted()).toEqual([
      'empty',
      'exactly_one_of',
      'invalid_value',
      'not_live',
      'nul_not_allowed',
      'out_of_range',
      'required',
      'template_syntax',
      'too_deep',
      'too_long',
      'too_many',
      'unknown_variable',
      'unsafe_place',
      'unsupported_type',
      'wrong_type',
    ]);
    expect(new Set(WARNING_CODES).size).toBe(WARNING_CODES.length);
  });
});

describe('explanations', () => {
  const all = Object.entries(EXPLANATIONS).flatMap(([place, explanations]) =>
    Object.entries<Explanation>(explanations).map(([code, explanation]) => ({
      name: `${place} ${code}`,
      explanation,
    })),
  );
  const codes = new Set(
    Object.values(EXPLANATIONS).flatMap((explanations) => Object.keys(explanations)),
  );

  test('every list of reasons, codes, statuses and states that contracts has is explained', async () => {
    const folder = join(import.meta.dirname, '..');
    const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
    const modules = await Promise.all(
      files.map((file) => import(join(folder, file)) as Promise<Record<string, object>>),
    );
    const lists = modules
      .flatMap(Object.entries)
      .filter(
        ([name]) =>
          /_(REASONS|CODES|STATUSES|STATES|ERRORS|CLASSES|OUTCOMES|KINDS|FAULTS)$/.test(name) &&
          !/^(EVENT|DEVICE|LEAF|WEBHOOK)_KINDS$|^ATTEMPT_OUTCOMES$|^DELIVERY_UPDATES$|^SUCCESS_STATES$|^RECEIPT_STATUSES$|^WEBHOOK_DELIVERY_STATES$/.test(
            name,
          ),
      );

    expect(lists.length).toBeGreaterThan(12);
    for (const [name, list] of lists) {
      const values = Array.isArray(list) ? (list as string[]) : Object.keys(list);
      expect([name, values.filter((value) => !codes.has(value))]).toEqual([name, []]);
    }
  });

  describe.each(all)('$name', ({ explanation }) => {
    test('has complete sentences', () => {
      expect(explanation.summary).toMatch(/^[A-Z].{5,}\.$/);
      expect(explanation.remedy).toMatch(/^[A-Z].{4,}\.$/);
    });
  });
});
