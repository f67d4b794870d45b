import { describe, expect, test } from '@jest/globals';
import { readAnswer } from './connection.ts';

const answer = (head: string, body: string): Buffer =>
  Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`);

describe('an answer', () => {
  test('is complete only with its last byte', () => {
    const whole = answer('200 OK\r\nContent-Length: 2', '{}');

    expect(readAnswer(whole.subarray(0, 20))).toBeUndefined();
    expect(readAnswer(whole.subarray(0, -1))).toBeUndefined();
    expect(readAnswer(whole)).toEqual({ status: 200, isLast: false });
  });

  test('reports that the server closes the connection', () => {
    expect(
      readAnswer(answer('503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0', '')),
    ).toEqual({ status: 503, isLast: true });
  });

  test('without a length is an error, not an endless wait', () => {
    expect(() => readAnswer(answer('200 OK\r\nTransfer-Encoding: chunked', ''))).toThrow(
      'without a length',
    );
  });
});
