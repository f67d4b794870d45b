import { describe, expect, test } from '@jest/globals';
import { asciiMailbox, mailboxKey } from './mailbox-key.ts';

describe('mailboxKey', () => {
  test.each([
    ['a plain address', 'Ada@Example.ORG', 'ada@example.org'],
    ['blanks around it', ' \tada@example.org\u00a0\n', 'ada@example.org'],
    ['a Unicode domain', 'ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['its ASCII form', 'ADA@XN--MNCHEN-3YA.example', 'ada@xn--mnchen-3ya.example'],
    ['capitals of a Unicode domain', 'ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
    ['a decomposed domain', 'ada@mu\u0308nchen.example', 'ada@xn--mnchen-3ya.example'],
    ['a letter of its own in domains', 'ada@straße.example', 'ada@xn--strae-oqa.example'],
    ['ideographic full stops', 'ada@例子。公司', 'ada@xn--fsqu00a.xn--55qx5d'],
    ['full-width letters', 'Ａｄａ@ｅｘａｍｐｌｅ.org', 'ada@example.org'],
    ['a full-width number', 'ada@１２', 'ada@12'],
    ['a composed local part', 'Jos\u00e9@example.org', 'jos\u00e9@example.org'],
    ['a decomposed local part', 'Jose\u0301@example.org', 'jos\u00e9@example.org'],
    ['no address', 'Ünknown', 'ünknown'],
    ['a domain without an ASCII form', 'a@ü b', 'a@ü b'],
  ])('%s', (_, address, key) => {
    expect(mailboxKey(address)).toBe(key);
    expect(mailboxKey(key)).toBe(key);
  });

  test('different mailboxes have different keys', () => {
    const keys = ['ada@münchen.example', 'ada@munchen.example', 'äda@munchen.example', 'ada'];

    expect(new Set(keys.map(mailboxKey)).size).toBe(keys.length);
  });
});

test('asciiMailbox keeps the letter case of the local part', () => {
  expect(asciiMailbox(' Ada@MÜNCHEN.example ')).toBe('Ada@xn--mnchen-3ya.example');
  expect(asciiMailbox('Ada@Example.org')).toBe('Ada@Example.org');
});
