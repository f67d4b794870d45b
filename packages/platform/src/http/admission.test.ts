import { describe, expect, test } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdmission, type Admission } from './admission.ts';

const BODY_BYTES_MAX = 100;

function exchange(): { readonly req: IncomingMessage; readonly res: ServerResponse } {
  const req = new IncomingMessage(new Socket());
  return { req, res: new ServerResponse(req) };
}

const enter = (admission: Admission, { req, res }: ReturnType<typeof exchange>) => admission.enter(req, res, BODY_BYTES_MAX);

describe('the room that a request takes', () => {
  test('is given back when its caller goes', () => {
    const admission = createAdmission({ path: 'test', bytesMax: 1_000, requestsMax: 1 });
    const [inside, next] = [exchange(), exchange()];

    expect(enter(admission, inside)).toBeNull();
    expect(admission.hasRoom(next.req, BODY_BYTES_MAX)).toBe(false);
    inside.res.emit('close');

    expect(admission.hasRoom(next.req, BODY_BYTES_MAX)).toBe(true);
  });

  test('is taken once', () => {
    const admission = createAdmission({ path: 'test', bytesMax: 1_000, requestsMax: 2 });
    const twice = exchange();

    expect([enter(admission, twice), enter(admission, twice)]).toEqual([null, null]);

    expect(admission.hasRoom(exchange().req, BODY_BYTES_MAX)).toBe(true);
  });

  test('is not taken for a caller who has gone already: nobody would give it back', () => {
    const admission = createAdmission({ path: 'test', bytesMax: 1_000, requestsMax: 1 });
    const gone = exchange();
    Object.defineProperty(gone.res, 'closed', { value: true });

    expect(enter(admission, gone)).toBeNull();

    expect(admission.hasRoom(gone.req, BODY_BYTES_MAX)).toBe(true);
  });
});

describe('whoever finds no room', () => {
  /** Behind somebody who has all the room. */
  function full(waitMsMax: number, bodySizes: readonly number[]) {
    const admission = createAdmission({ path: 'test', bytesMax: 100, requestsMax: 100, waitMsMax });
    const inside = exchange();
    void enter(admission, inside);
    const decided: string[] = [];
    const waiting = bodySizes.map((bytes) => {
      const { req, res } = exchange();
      req.headers['content-length'] = String(bytes);
      const entered = Promise.resolve(enter(admission, { req, res })).then((refusal) => decided.push(`${bytes}: ${refusal?.code ?? 'in'}`));
      return { res, entered };
    });
    return { inside, waiting, decided };
  }

  test('comes in when others go, first come first served: a large one is not overtaken', async () => {
    const { inside, waiting, decided } = full(60_000, [70, 40, 30]);

    inside.res.emit('close');
    await waiting[0]?.entered;
    await delay(0);
    expect(decided).toEqual(['70: in']);
    waiting[0]?.res.emit('close');
    await waiting[2]?.entered;

    expect(decided).toEqual(['70: in', '40: in', '30: in']);
  });

  test('is refused after the longest wait', async () => {
    const { waiting, decided } = full(20, [10]);

    await waiting[0]?.entered;

    expect(decided).toEqual(['10: unavailable']);
  });

  test('and goes away does not keep the others waiting', async () => {
    const { inside, waiting, decided } = full(60_000, [60, 70, 40]);
    inside.res.emit('close');
    await waiting[0]?.entered;

    waiting[1]?.res.emit('close');
    await waiting[2]?.entered;

    expect(decided).toEqual(['60: in', '70: unavailable', '40: in']);
  });

  test('because the process is late comes in once it is not, though nobody inside goes', async () => {
    let lateMs = 500;
    const admission = createAdmission({ path: 'test', bytesMax: 100, requestsMax: 1, lag: { sustainedMs: () => lateMs }, lagMsMax: 100, waitMsMax: 20 });

    const entered = enter(admission, exchange());
    expect(entered).toBeInstanceOf(Promise);
    lateMs = 0;

    expect(await entered).toBeNull();
  });
});
