// A receiver with NestJS, for campaign batches and notifications.
import 'reflect-metadata';
import type { RawBodyRequest } from '@nestjs/common';
import { BadRequestException, Controller, HttpCode, Module, Post, Req, UnauthorizedException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { IncomingMessage } from 'node:http';
import { isFromMailhook } from '../../../docs/guides/receivers/verify.mjs';

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
// Your database. The key is what tells an event that came before: its id in version 2.
const store = new Map<unknown, unknown>();

type Body = { id?: string; hash?: string }[] | { id?: string; test?: string };

@Controller()
class MailhookController {
  @Post()
  // NestJS answers a POST with 201 by default, and a batch counts only with 200.
  @HttpCode(200)
  receive(@Req() request: RawBodyRequest<IncomingMessage> & { body: Body }) {
    const { headers, body, rawBody } = request;
    if (secrets.length > 0 && !isFromMailhook(headers, String(rawBody ?? ''), secrets)) {
      throw new UnauthorizedException('The signature is wrong.');
    }
    if (typeof body !== 'object' || body === null) throw new BadRequestException('The body must be JSON.');
    if ('test' in body) return { status: 'ok' };
    if (!Array.isArray(body)) {
      store.set(body.id ?? headers['webhook-id'], body);
      return {};
    }
    for (const event of body) store.set(event.id ?? event.hash, event);
    return body.map(({ hash }) => ({ hash, status: true }));
  }
}

@Module({ controllers: [MailhookController] })
class AppModule {}

// The signature covers the body as it came, which rawBody keeps. The default limit of 100 kB is too small for 1000
// events.
const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true, logger: ['error', 'warn'] });
app.useBodyParser('json', { limit: '2mb' });
await app.listen(Number(process.env.PORT ?? 4000), '127.0.0.1');
