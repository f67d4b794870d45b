import { describe, expect, test } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createAdmission,
  type Admission,
  type AdmissionOptions,
  type BodyToRead,
} from './admission.ts';

const BODY_BYTES_MAX = 100;

type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: BodyToRead;
};

/** A request of an application with a body of a known or unknown size. */
function exchange(
  applicationId = 'ours',
  bytes?: number,
  keyType: BodyToRead['keyType'] = 'server',
): Exchange {
  const req = new IncomingMessage(new Socket());
  if (bytes !== undefined) req.headers['content-length'] = String(bytes);
  return {
    req,
    res: new ServerResponse(req),
    body: { applicationId, keyType, bytesMax: BODY_BYTES_MAX },
  };
}

const create = (options: Partial<AdmissionOptions>): Admission =>
  createAdmission({ path: 'test', bytesMax: 1_000, requestsMax: 100, ...options });
const enter = (admission: Admission, { req, res, body }: Exchange) =>
  admission.admit(req, res, body);
const hasRoom = (admission: Admission, { req, body }: Exchange) => admission.canAdmit(req, body);
/** The admitted requests of an application, with their bodies. */
function fill(admission: Admission, count: number, applicationId?: string): Exchange[] {
  return Array.from({ length: count }, () => {
    const one = exchange(applicationId, 1);
    expect(enter(admission, one)).toBeNull();
    admission.bodyRead(one.res, 1);
    return one;
  });
}

describe('the memory that a request reserves', () => {
  test('is given back when its caller goes', () => {
    const admission = create({ requestsMax: 1 });
    const inside = exchange();

    expect(enter(admission, inside)).toBeNull();
    expect(hasRoom(admission, exchange())).toBe(false);
    inside.res.emit('close');

    expect(hasRoom(admission, exchange())).toBe(true);
  });

  test('is reserved once', () => {
    const admission = create({ requestsMax: 4 });
    const twice = exchange();

    expect([enter(admission, twice), enter(admission, twice)]).toEqual([null, null]);

    expect(hasRoom(admission, exchange())).toBe(true);
  });

  test('is not reserved for a disconnected caller: nothing would release it', () => {
    const admission = create({ requestsMax: 1 });
    const gone = exchange();
    Object.defineProperty(gone.res, 'closed', { value: true });

    expect(enter(admission, gone)).toBeNull();

    expect(hasRoom(admission, gone)).toBe(true);
  });

  test('is no larger than the body, once that is read', () => {
    const admission = create({ bytesMax: 400 });
    const [one, two] = [exchange(), exchange()];
    void enter(admission, one);

    expect(hasRoom(admission, two)).toBe(true);
    void enter(admission, two);
    expect(hasRoom(admission, exchange('ours', 20))).toBe(false);
    admission.bodyRead(one.res, 5);

    expect(hasRoom(admission, exchange('ours', 5))).toBe(true);
  });
});

describe('an application', () => {
  test('has half of the memory, and half of what others leave', () => {
    const admission = create({ requestsMax: 8 });

    fill(admission, 4);
    expect(hasRoom(admission, exchange())).toBe(false);
    fill(admission, 2, 'theirs');
    expect(hasRoom(admission, exchange('theirs'))).toBe(false);
    fill(admission, 1, 'third');

    expect(hasRoom(admission, exchange('third'))).toBe(false);
    expect(hasRoom(admission, exchange('fourth'))).toBe(true);
  });

  test('whose callers fill the line shuts out no other', () => {
    const admission = create({ requestsMax: 2, bytesMax: 40_000, waitMsMax: 60_000 });
    fill(admission, 1);
    const waiting = Array.from({ length: 16_384 }, () => enter(admission, exchange('ours', 1)));

    expect(waiting.every((one) => one instanceof Promise)).toBe(true);
    expect(enter(admission, exchange('ours', 1))).toMatchObject({ code: 'unavailable' });
    fill(admission, 1, 'theirs');
    expect(enter(admission, exchange('third', 1))).toBeInstanceOf(Promise);
  });

  test('takes turns with requests that came after it', async () => {
    const admission = create({ requestsMax: 1, waitMsMax: 60_000 });
    const [inside] = fill(admission, 1);
    const order: string[] = [];
    const queued = ['ours', 'ours', 'theirs', 'ours', 'theirs'].map((applicationId) => {
      const one = exchange(applicationId, 1);
      return {
        ...one,
        entered: Promise.resolve(enter(admission, one)).then(() => order.push(applicationId)),
      };
    });

    inside?.res.emit('close');
    for (const index of [0, 2, 1, 4, 3]) {
      await queued[index]?.entered;
      queued[index]?.res.emit('close');
    }

    expect(order).toEqual(['ours', 'theirs', 'ours', 'theirs', 'ours']);
  });
});

describe('Client keys', () => {
  const page = (applicationId = 'ours') => exchange(applicationId, undefined, 'client');
  const enterWhileRoom = (admission: Admission, next: () => Exchange): number => {
    for (let count = 0; ; count += 1) {
      const one = next();
      if (!hasRoom(admission, one)) return count;
      void enter(admission, one);
    }
  };

  test('of one application have half of what the application may hold, and leave its Server keys the rest', () => {
    const admission = create({ bytesMax: 3_200 });

    expect(enterWhileRoom(admission, page)).toBe(8);
    expect(enterWhileRoom(admission, exchange)).toBe(12);
  });

  test('of all applications together have half of the memory', () => {
    const admission = create({ bytesMax: 3_200 });
    let applications = 0;

    const entered = enterWhileRoom(admission, () => page(`app ${(applications += 1)}`));

    expect(entered).toBe(16);
    expect(enterWhileRoom(admission, exchange)).toBe(8);
  });

  test('fit one request into the smallest bound', () => {
    const admission = create({ bytesMax: 100, requestsMax: 1 });

    expect(enterWhileRoom(admission, page)).toBe(1);
  });

  test('that wait in line, and fill their part of it, keep no Server key waiting', () => {
    const admission = create({ bytesMax: 3_200, waitMsMax: 60_000 });
    enterWhileRoom(admission, page);

    const waiting = Array.from({ length: 100 }, () => enter(admission, page()));

    expect(waiting[0]).toBeInstanceOf(Promise);
    expect(waiting.at(-1)).toMatchObject({ code: 'unavailable' });
    expect(enter(admission, exchange())).toBeNull();
  });
});

describe('a caller who is slow to send his body', () => {
  test('releases its permit until the body is there, then takes one even above the limit', async () => {
    const admission = create({ requestsMax: 1 });
    const slow = exchange('ours', 10);
    void enter(admission, slow);
    expect(hasRoom(admission, exchange('ours', 10))).toBe(false);

    await delay(150);
    expect(enter(admission, exchange('ours', 10))).toBeNull();
    admission.bodyRead(slow.res, 10);

    expect(hasRoom(admission, exchange('theirs', 10))).toBe(false);
  });

  test('lets those in line in', async () => {
    const admission = create({ requestsMax: 1, waitMsMax: 60_000 });
    void enter(admission, exchange('ours', 10));

    expect(await enter(admission, exchange('theirs', 10))).toBeNull();
  });
});

describe('a request that is not admitted at once', () => {
  /** Behind a request that holds 60 of 100 bytes. */
  function full(waitMsMax: number, bodySizes: readonly number[]) {
    const admission = create({ bytesMax: 100, waitMsMax });
    const inside = exchange('inside', 60);
    void enter(admission, inside);
    const decided: string[] = [];
    const waiting = bodySizes.map((bytes) => {
      const one = exchange('ours', bytes);
      const entered = Promise.resolve(enter(admission, one)).then((rejection) =>
        decided.push(`${bytes}: ${rejection?.code ?? 'in'}`),
      );
      return { res: one.res, entered };
    });
    return { inside, waiting, decided };
  }

  test('is admitted in order of arrival when others end: a large one is not overtaken', async () => {
    const { inside, waiting, decided } = full(60_000, [45, 3]);
    await delay(50);
    expect(decided).toEqual([]);

    inside.res.emit('close');
    await waiting[1]?.entered;

    expect(decided).toEqual(['45: in', '3: in']);
  });

  test('is rejected after the longest wait', async () => {
    const { waiting, decided } = full(20, [45]);

    await waiting[0]?.entered;

    expect(decided).toEqual(['45: unavailable']);
  });

  test('is rejected at once where there is no line', () => {
    const admission = create({ requestsMax: 0 });

    expect(enter(admission, exchange())).toMatchObject({ code: 'unavailable' });
  });

  test('and disconnects does not delay the others', async () => {
    const { waiting, decided } = full(60_000, [45, 3]);

    waiting[0]?.res.emit('close');
    await waiting[1]?.entered;

    expect(decided).toEqual(['45: unavailable', '3: in']);
  });

  test('because of event-loop delay is admitted when the delay ends, without a release', async () => {
    let lateMs = 500;
    const admission = create({
      lag: { sustainedMs: () => lateMs },
      lagMsMax: 100,
      waitMsMax: 60_000,
    });

    const entered = enter(admission, exchange());
    expect(entered).toBeInstanceOf(Promise);
    lateMs = 0;

    expect(await entered).toBeNull();
  });

  test('waits for no more than what is read ahead of the bodies may take', () => {
    const admission = createAdmission({
      path: 'test',
      bytesMax: 1024 * 1024,
      requestsMax: 100,
      waitMsMax: 60_000,
    });
    const large = (applicationId: string) => ({
      ...exchange(applicationId, 1024 * 1024),
      body: { applicationId, keyType: 'server' as const, bytesMax: 1024 * 1024 },
    });
    void enter(admission, large('inside'));

    const waiting = Array.from({ length: 5 }, () => enter(admission, large('ours')));

    expect(waiting.map((one) => one instanceof Promise)).toEqual([true, true, true, true, true]);
    expect(enter(admission, large('ours'))).toMatchObject({ code: 'unavailable' });
  });
});
