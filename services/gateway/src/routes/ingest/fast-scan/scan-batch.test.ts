import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { scanBatch } from './scan-batch.ts';

const NOW = 1_800_000_000_000;
const read = (text: string) => scanBatch(Buffer.from(text), NOW);

const messageWith = (
  fields: string,
  head = '"type":"action","id":"m","time":1760000000000',
): string => `{${[head, fields].filter((part) => part !== '').join(',')}}`;
const batchOf = (...messages: readonly string[]): string =>
  `{"customUserId":"ada","messages":[${messages.join(',')}]}`;
const bodyWith = (attributes: string): string =>
  batchOf(messageWith(`"customName":"n","attributes":${attributes}`));
/** A message of the given size. */
const messageOf = (bytes: number): string => {
  const rest = messageWith('"customName":"n","attributes":{"a":[{},1],"b":""}');
  return rest.replace('""', `"${'x'.repeat(bytes - rest.length)}"`);
};
const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

describe('a plain batch', () => {
  test('is known by what the gateway needs of it', () => {
    const text = JSON.stringify({
      messages: [
        {
          type: 'user',
          id: 'm1',
          time: 1_760_000_000_000,
          email: 'ada@example.com',
          birthday: -1,
          customAttributes: { plan: 'pro', limits: { seats: [1] } },
        },
        {
          type: 'revenue',
          id: 'm2',
          time: 1_760_000_000_000,
          name: 'abcde',
          revenue: -12.5,
          currency: 'EUR',
        },
      ],
      serviceUserId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      customUserId: 'Ada "Countess" 😀',
    });

    expect(read(text)).toEqual({
      messageCount: 2,
      kinds: ['revenue', 'user'],
      customUserId: 'Ada "Countess" 😀',
      serviceUserId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      firstMessageId: 'm1',
    });
  });

  test.each([
    [
      'space everywhere',
      '\r\n{ "customUserId"\t: "ada" ,"messages" : [ { "type":"action" , "id":"m" , "time" : 1760000000000 , "name":"abcde" } ] } \n',
    ],
    [
      'every kind of value',
      bodyWith('{"a":1,"b":-0.5,"c":"x","d":true,"e":false,"f":null,"g":[1,[],{}],"h":{"i":{}}}'),
    ],
    ['as many levels as are allowed', bodyWith(nested(LIMITS.messageDepthMax - 1))],
    [
      'as many keys as are allowed',
      bodyWith(
        JSON.stringify(
          Object.fromEntries(
            Array.from({ length: LIMITS.messageKeysMax - 5 }, (_, n) => [`k${n}`, 0]),
          ),
        ),
      ),
    ],
    [
      'escapes that stand for text',
      bodyWith(String.raw`{"a":"\"\\\/\b\f\n\r\t","\u00e9":"\ud83d\ude00 \u4E2D"}`),
    ],
    ['keys of the prototype', bodyWith('{"__proto__":{"a":1},"constructor":2}')],
    ['as many bytes in a message as are allowed', batchOf(messageOf(LIMITS.messageBytesMax))],
    ['an empty name, which is dropped later', batchOf(messageWith('"customName":""'))],
    [
      'a business event without a user',
      '{"messages":[{"type":"businessEvent","id":"m","time":1760000000000,"name":"abcde"}]}',
    ],
  ])('may have %s', (_name, text) => {
    expect(read(text)).not.toBeNull();
  });

  test.each([
    ['U+0000', bodyWith(String.raw`{"a":"\u0000"}`)],
    ['half a surrogate pair', bodyWith(String.raw`{"a":"\ud83d"}`)],
    ['a low surrogate first', bodyWith(String.raw`{"a":"\ude00\ud83d"}`)],
    ['an escape that is none', bodyWith(String.raw`{"a":"\x41"}`)],
    ['a raw control character', bodyWith('{"a":"\n"}')],
    ['an integer beyond 2^53', bodyWith('{"n":9007199254740993}')],
    ['a number with an exponent', bodyWith('{"n":1e400}')],
    ['a number with a leading zero', bodyWith('{"n":01}')],
    ['a number without digits behind its point', bodyWith('{"n":1.}')],
    ['a literal that is none', bodyWith('{"n":nulL}')],
    ['one level too many', bodyWith(nested(LIMITS.messageDepthMax))],
    [
      'too many keys',
      bodyWith(
        JSON.stringify(
          Object.fromEntries(Array.from({ length: LIMITS.messageKeysMax }, (_, n) => [`k${n}`, 0])),
        ),
      ),
    ],
    ['too many bytes in a message', batchOf(messageOf(LIMITS.messageBytesMax + 1))],
    [
      'too many messages',
      batchOf(
        ...Array.from({ length: LIMITS.messagesMax + 1 }, () => messageWith('"name":"abcde"')),
      ),
    ],
    ['a trailing comma', bodyWith('{"a":1,}')],
    ['a missing comma', bodyWith('{"a":1 "b":2}')],
    ['something behind its end', `${bodyWith('{}')}{}`],
    ['no end', bodyWith('{}').slice(0, -1)],
    ['a field twice', batchOf(messageWith('"name":"abcde","name":"abcde"'))],
    ['messages twice', '{"customUserId":"ada","messages":[],"messages":[]}'],
    ['no messages', '{"customUserId":"ada","messages":[]}'],
    ['both names', batchOf(messageWith('"name":"abcde","customName":"n"'))],
    ['no name', batchOf(messageWith(''))],
    ['a name that is null', batchOf(messageWith('"name":null,"customName":"n"'))],
    [
      'an id of no characters',
      batchOf(messageWith('"name":"abcde"', '"type":"action","id":"","time":1760000000000')),
    ],
    [
      'an unknown type',
      batchOf(messageWith('"name":"abcde"', '"type":"Action","id":"m","time":1760000000000')),
    ],
    ['no time', batchOf(messageWith('"name":"abcde"', '"type":"action","id":"m"'))],
    [
      'a time that looks like seconds',
      batchOf(messageWith('"name":"abcde"', '"type":"action","id":"m","time":1760000000')),
    ],
    [
      'a time far ahead',
      batchOf(messageWith('"name":"abcde"', '"type":"action","id":"m","time":1900000000000')),
    ],
    [
      'a time that is no integer',
      batchOf(messageWith('"name":"abcde"', '"type":"action","id":"m","time":1760000000000.5')),
    ],
    [
      'attributes where there are none',
      batchOf(
        messageWith(
          '"name":"abcde","revenue":1,"currency":"EUR","attributes":{}',
          '"type":"revenue","id":"m","time":1760000000000',
        ),
      ),
    ],
    [
      'a currency that is none',
      batchOf(
        messageWith(
          '"name":"abcde","revenue":1,"currency":"eur"',
          '"type":"revenue","id":"m","time":1760000000000',
        ),
      ),
    ],
    [
      'a list among the custom attributes',
      batchOf(
        messageWith(
          '"customAttributes":{"a":1,"b":[]}',
          '"type":"user","id":"m","time":1760000000000',
        ),
      ),
    ],
    ['an unknown field', batchOf(messageWith('"name":"abcde","colour":"red"'))],
    [
      'an unknown field of the envelope',
      '{"extra":1,"customUserId":"ada","messages":[{"type":"user","id":"m","time":1760000000000}]}',
    ],
    ['no user', '{"messages":[{"type":"action","id":"m","time":1760000000000,"name":"abcde"}]}'],
    ['nothing', ''],
    ['no object', '5'],
  ])('does not have %s', (_name, text) => {
    expect(read(text)).toBeNull();
  });
});
