import { describe, expect, test } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createAdmission } from './admission.ts';

const BODY_BYTES_MAX = 100;

function exchange(): { readonly req: IncomingMessage; readonly res: ServerResponse } {
  const req = new IncomingMessage(new Socket());
  return { req, res: new ServerResponse(req) };
}

describe('the room that a request takes', () => {
  test('is given back when its caller goes', () => {
    const admission = createAdmission({ bytesMax: 1_000, requestsMax: 1 });
    const { req, res } = exchange();

    admission.admit(req, res, BODY_BYTES_MAX);
    expect(admission.refusalOf(req, BODY_BYTES_MAX)).toMatchObject({ code: 'unavailable' });
    res.emit('close');

    expect(admission.refusalOf(req, BODY_BYTES_MAX)).toBeNull();
  });

  test('is not taken for a caller who has gone already: nobody would give it back', () => {
    const admission = createAdmission({ bytesMax: 1_000, requestsMax: 1 });
    const { req, res } = exchange();
    Object.defineProperty(res, 'closed', { value: true });

    admission.admit(req, res, BODY_BYTES_MAX);

    expect(admission.refusalOf(req, BODY_BYTES_MAX)).toBeNull();
  });
});
