import { mountRoute } from '@tidings/http/app';
import { AppError, type Clock, type Ids } from '@tidings/platform';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseShopMessage, parseSignIn, sendMessage, signIn } from './back-end.ts';
import { parseConnection, type ShopConnection } from './connection.ts';
import type { KeptConnection } from './kept-connection.ts';

const WEB_DIR = join(import.meta.dirname, '../../../web/shop');
const readBody = express.json({ limit: 64 * 1024 });

/**
 * As strict as a customer's policy may be: the SDK needs the service's origin in three directives,
 * and nothing inline.
 */
const policyOf = ({ baseUrl }: ShopConnection): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${baseUrl}`,
    `connect-src 'self' ${baseUrl}`,
    `frame-src ${baseUrl}`,
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * `/shop/`: a customer's page with the browser SDK, its back end, and `PUT /api/shop`, which sets
 * its connection. Returns a function that gets the connection.
 * @throws AppError `conflict` if none was set
 */
export function mountShop(
  app: Express,
  {
    clock,
    ids,
    connection: kept,
  }: { readonly clock: Clock; readonly ids: Ids; readonly connection: KeptConnection },
): () => ShopConnection {
  const connected = (): ShopConnection => {
    const connection = kept.get();
    if (connection === undefined)
      throw new AppError(
        'conflict',
        'The shop is not connected to an application: send PUT /api/shop with baseUrl, applicationId, clientKey, serverKey and userTokenSecret (npm start and make-application do this).',
      );
    return connection;
  };
  const connect: RequestHandler = (req, res) => {
    kept.set(valid(parseConnection(req.body)));
    res.status(204).end();
  };
  mountRoute(app, '/api/shop', { PUT: [jsonOnly, readBody, connect] });
  mountRoute(app, '/shop/sign-in', {
    POST: [
      jsonOnly,
      readBody,
      async (req, res) =>
        void res.json(
          await signIn(connected(), valid(parseSignIn(req.body)).customUserId, { clock, ids }),
        ),
    ],
  });
  mountRoute(app, '/shop/send', {
    POST: [
      jsonOnly,
      readBody,
      async (req, res) =>
        void res.json(await sendMessage(connected(), valid(parseShopMessage(req.body)))),
    ],
  });
  for (const name of readdirSync(WEB_DIR)) {
    const template = readFileSync(join(WEB_DIR, name), 'utf8');
    mountRoute(app, name === 'index.html' ? '/shop/' : `/shop/${name}`, {
      GET: [
        toFolder,
        (_req: Request, res: Response) => sendFile(res, { name, template, shop: connected() }),
      ],
    });
  }
  return connected;
}

function sendFile(
  res: Response,
  {
    name,
    template,
    shop,
  }: { readonly name: string; readonly template: string; readonly shop: ShopConnection },
): void {
  const { baseUrl, applicationId, clientKey } = shop;
  res.set({
    'Content-Security-Policy': policyOf(shop),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  });
  res
    .type(extname(name))
    .send(
      template
        .replaceAll('{{baseUrl}}', baseUrl)
        .replaceAll('{{applicationId}}', applicationId)
        .replaceAll('{{clientKey}}', clientKey),
    );
}

/** `/shop` must redirect to `/shop/`, since its service worker controls only paths below. */
const toFolder: RequestHandler = (req, res, next) =>
  req.path === '/shop' ? res.redirect(308, '/shop/') : next();

/** A page of another origin cannot send JSON without a preflight. */
const jsonOnly: RequestHandler = (req, _res, next) => {
  if (req.is('application/json') === false)
    throw new AppError('unsupported_media_type', 'Send application/json.');
  next();
};

function valid<T>(
  parsed:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly errors: FieldError[] },
): T {
  if (!parsed.ok)
    throw new AppError('validation_failed', 'The request is not valid.', { errors: parsed.errors });
  return parsed.value;
}
