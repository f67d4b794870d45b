import { expect, test } from '@jest/globals';
import { createAnswerDropper } from './kafka-answers.ts';

const PRODUCE = 0;
const METADATA = 3;

function requestFrame(apiKey: number, correlationId: number): Buffer {
  const frame = Buffer.alloc(12);
  frame.writeInt32BE(8, 0);
  frame.writeInt16BE(apiKey, 4);
  frame.writeInt32BE(correlationId, 8);
  return frame;
}

function answerFrame(correlationId: number): Buffer {
  const frame = Buffer.alloc(10);
  frame.writeInt32BE(6, 0);
  frame.writeInt32BE(correlationId, 4);
  return frame;
}

test('drops only the next produce response, for any chunks', () => {
  const dropper = createAnswerDropper();
  const filter = dropper.createFilter();
  const requests = Buffer.concat([
    requestFrame(METADATA, 1),
    requestFrame(PRODUCE, 2),
    requestFrame(PRODUCE, 3),
  ]);
  const answers = Buffer.concat([1, 2, 3].map(answerFrame));

  const passedOn = [requests.subarray(0, 5), requests.subarray(5)].map((piece) =>
    filter.request(piece),
  );
  dropper.dropNext('answer');
  const answered = Buffer.concat(
    [...answers].map((byte) => filter.answer(Buffer.from([byte])) ?? Buffer.alloc(0)),
  );

  expect(Buffer.concat(passedOn.map((piece) => piece ?? Buffer.alloc(0)))).toEqual(requests);
  expect(answered).toEqual(Buffer.concat([answerFrame(1), answerFrame(3)]));
  expect(dropper.dropped()).toBe(1);
});

test('closes the connection instead, if requested', () => {
  const dropper = createAnswerDropper();
  const filter = dropper.createFilter();
  filter.request(requestFrame(PRODUCE, 7));

  dropper.dropNext('connection');

  expect(filter.answer(answerFrame(7))).toBeNull();
});
